package io.csi4j.simulation.internal.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimProvider;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Each check finds the violation that is planted for it, and no other check reports it. Without the planted violation,
 * volume v is attached to node n1, and is staged and mounted there for allocation a, as the state has it.
 */
class InvariantChecksTest {
    private static final VolumeKey V = VolumeKey.of(SimVolumes.NAMESPACE, "v");
    private static final AllocationId A = AllocationId.of("a");
    private static final AllocationId B = AllocationId.of("b");
    private static final NodeId N1 = NodeId.of("n1");
    private static final RequestedCapability MOUNT =
            RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_SINGLE_WRITER);
    private static final RequestedCapability BLOCK =
            RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_SINGLE_WRITER);

    private final SimWorld world = new SimWorld(new SplittableRandom(1), new SplittableRandom(2), 0, false);
    private final SimNode node = new SimNode(N1);
    private final ExternalVolumeId external = world.addVolume(V);
    private Volume volume = Volume.builder(
                    V,
                    VolumeSpec.builder(SimVolumes.ATTACHING)
                            .externalVolumeId(external)
                            .requestedCapabilities(List.of(MOUNT))
                            .build(),
                    1,
                    Instant.EPOCH)
            .build();

    @BeforeEach
    void mountedVolume() {
        world.add(node);
        attach(MOUNT);
        node.mount(new SimNode.Mount(V, A), AttachmentMode.MOUNT);
        Attachment attachment = Attachment.builder(N1, MOUNT)
                .externalNodeId(node.externalId)
                .state(AttachmentState.PUBLISHED)
                .build();
        volume = volume.toBuilder()
                .claims(volume.claims().with(claim(A).build()))
                .attachments(volume.attachments().with(attachment))
                .build();
        assertThat(found()).as("before a violation is planted").isEmpty();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private Claim.Builder claim(AllocationId allocation) {
        return Claim.builder(allocation, N1, ClaimMode.WRITE, MOUNT).externalNodeId(node.externalId);
    }

    private void attach(RequestedCapability capability) {
        world.provider().detach(external, node.externalId);
        world.provider()
                .attach(
                        external,
                        node.externalId,
                        new SimProvider.Use(
                                capability.toVolumeCapability(volume.spec().mountOptions()), false));
    }

    private void claims(UnaryOperator<Claim.Builder> change) {
        Claim claim = volume.claims().get(A).orElseThrow();
        volume = volume.toBuilder()
                .claims(volume.claims()
                        .without(A)
                        .with(change.apply(claim.toBuilder()).build()))
                .build();
    }

    /** Returns the violations that the checks find if the state has the volume as this test has changed it. */
    private List<String> found() {
        StateReader empty = world.store().snapshot();
        StateReader state = (StateReader) Proxy.newProxyInstance(
                StateReader.class.getClassLoader(),
                new Class<?>[] {StateReader.class},
                (proxy, method, arguments) -> method.getName().equals("volume") && arguments[0].equals(V)
                        ? Optional.of(volume)
                        : method.invoke(empty, arguments));
        new InvariantChecks(world).afterStep(state);
        return List.copyOf(world.violations());
    }

    private void finds(String violation) {
        assertThat(found()).containsExactly(violation);
    }

    @Test
    void findsClaimsThatBreakTheAccessMode() {
        volume = volume.toBuilder()
                .claims(volume.claims().with(claim(B).build()))
                .build();
        finds("I1: the claims of default/v break its access mode");
    }

    @Test
    void findsAttachmentWithoutRow() {
        volume =
                volume.toBuilder().attachments(volume.attachments().without(N1)).build();
        finds("I6: default/v is attached to ext-n1 without a row");
    }

    @Test
    void findsAttachmentThatTheRowHasForAnotherMachine() {
        Attachment other = volume.attachments().on(N1).orElseThrow().toBuilder()
                .externalNodeId(ExternalNodeId.of("ext-n1.2"))
                .build();
        volume =
                volume.toBuilder().attachments(volume.attachments().with(other)).build();
        finds("I6: default/v is attached to ext-n1 without a row");
    }

    @Test
    void findsMountOfUnstagedVolume() {
        node.unstage(V);
        finds("R47: default/v is unstaged on n1 while it is mounted there for a");
    }

    @Test
    void findsMountWithoutClaim() {
        volume = volume.toBuilder().claims(volume.claims().without(A)).build();
        finds("I6, I20: default/v is mounted for a on ext-n1 without a claim of this machine");
    }

    @Test
    void findsMountWithClaimOfAnotherMachine() {
        claims(claim -> claim.externalNodeId(ExternalNodeId.of("ext-n1.2")));
        finds("I6, I20: default/v is mounted for a on ext-n1 without a claim of this machine");
    }

    @Test
    void findsMountWhoseClaimCountsAsDetached() {
        claims(claim -> claim.state(ClaimState.NODE_DETACHED));
        finds("I6: default/v is mounted for a on n1 while its claim counts as detached from the node");
    }

    @Test
    void findsMountOfAnotherModeThanClaimed() {
        volume = volume.toBuilder()
                .claims(volume.claims()
                        .without(A)
                        .with(Claim.builder(A, N1, ClaimMode.WRITE, BLOCK)
                                .externalNodeId(node.externalId)
                                .build()))
                .build();
        finds("R96: default/v is mounted as Optional[MOUNT] for a on n1, which is not the claimed mode");
    }

    @Test
    void findsSecondMountOfVolumeWithOnePath() {
        // An adopted claim shows what a node has mounted, so it does not break the access mode.
        volume = volume.toBuilder()
                .claims(volume.claims().with(claim(B).adopted(true).build()))
                .build();
        node.mount(new SimNode.Mount(V, B), AttachmentMode.MOUNT);
        finds("R89: default/v is mounted twice on n1");
    }

    @Test
    void findsSecondTargetOfVolumeWithOnePath() {
        node.publish(new SimNode.Mount(V, A), AttachmentMode.MOUNT, "/publish/a");
        assertThat(found()).as("with one target").isEmpty();
        node.publish(new SimNode.Mount(V, A), AttachmentMode.MOUNT, "/publish/a~1");
        finds("R89: default/v has 2 targets for a on n1, and its access mode allows one");
    }

    @Test
    void findsMountOfDetachedVolume() {
        world.provider().detach(external, node.externalId);
        finds("I3: default/v is mounted on n1 and not attached there");
    }

    @Test
    void findsMountOfAnotherModeThanAttached() {
        attach(BLOCK);
        finds("R96: default/v is mounted as Optional[MOUNT] on n1, but attached with another mode");
    }
}
