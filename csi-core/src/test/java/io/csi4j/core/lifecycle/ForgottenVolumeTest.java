package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SHARED;
import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.RequestedCapability;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An operator forgets a volume that a node still has mounted. */
class ForgottenVolumeTest {
    private static final VolumeKey OTHER_NAME = VolumeKey.of("default", "other-name");
    private static final ExternalVolumeId EXTERNAL = ExternalVolumeId.of("ext-" + VOL);
    private static final Leftover.Key LEFTOVER = new Leftover.Key(LifecycleRig.PLUGIN, EXTERNAL);

    private final LifecycleRig rig = LifecycleRig.leading().volume(VOL);

    /** Allocation a has ended, but node n1 cannot unmount the volume; then an operator forgets the volume. */
    private void forgetWhileMounted(RequestedCapability capability) {
        rig.done(rig.claim("a", "n1", capability));
        for (int i = 0; i < 200; i++) {
            rig.gateway.fail(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.INTERNAL);
        }
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        rig.done(rig.host.operator().forgetVolume(VOL, "the host has no such volume any more"));
        assertThat(rig.log.snapshot().volume(VOL)).isEmpty();
    }

    private void registerUnder(VolumeKey key) {
        rig.done(rig.host
                .volumes()
                .register(key, LifecycleRig.spec().externalVolumeId(EXTERNAL).build()));
        rig.clock.run();
    }

    private CompletableFuture<ClaimGrant> claim(VolumeKey key, String allocation, String node) {
        return claim(key, allocation, node, SINGLE);
    }

    private CompletableFuture<ClaimGrant> claim(
            VolumeKey key, String allocation, String node, RequestedCapability capability) {
        rig.allocation(allocation, node);
        CompletableFuture<ClaimGrant> grant = rig.host
                .claims()
                .claim(AllocationId.of(allocation), List.of(ClaimRequest.of(key, ClaimMode.WRITE, capability)));
        rig.clock.run();
        return grant;
    }

    private WaitingClaim waiting(VolumeKey key) {
        return rig.done(rig.host.claims().status(key)).orElseThrow().waiting().get(0);
    }

    @Test
    void volumeUnderAnotherNameAdmitsNoClaimElsewhereUntilTheNodeHasUnmountedIt() {
        forgetWhileMounted(SINGLE);
        registerUnder(OTHER_NAME);
        CompletableFuture<ClaimGrant> elsewhere = claim(OTHER_NAME, "b", "n2");
        assertThat(elsewhere).as("node n1 still writes").isNotDone();
        assertThat(waiting(OTHER_NAME).reason().orElseThrow().reason()).isEqualTo(WaitReason.LEFT_ON_NODE);
        assertThat(waiting(OTHER_NAME).text())
                .contains(
                        "volume " + OTHER_NAME,
                        "node n1 may still have it mounted for allocation a as volume " + VOL,
                        "its former name",
                        "it is free when the node has unmounted it, is fenced or removed, or the claim is overridden");
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME)).hasSize(1);

        rig.gateway.forgetPlanned(Rpc.NODE_UNPUBLISH_VOLUME);
        rig.clock.advance(Duration.ofMinutes(30));
        assertThat(elsewhere).isCompleted();
        NodeDetach last = (NodeDetach) rig.gateway
                .requests(Rpc.NODE_UNPUBLISH_VOLUME)
                .get(rig.gateway.requests(Rpc.NODE_UNPUBLISH_VOLUME).size() - 1);
        assertThat(last.volume())
                .as("the key by which the node knows its mount")
                .isEqualTo(VOL);
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_UNPUBLISH_VOLUME)).hasSize(1);
        assertThat(rig.log.snapshot().leftovers()).isEmpty();
    }

    @Test
    void neitherTheNodeItselfNorASharedVolumeGetsAClaimBeforeTheUnmount() {
        forgetWhileMounted(SHARED);
        registerUnder(OTHER_NAME);
        assertThat(claim(OTHER_NAME, "b", "n1", SHARED)).isNotDone();
        assertThat(claim(OTHER_NAME, "c", "n2", SHARED)).isNotDone();
    }

    @Test
    void sameNameTakesTheMountOverToo() {
        forgetWhileMounted(SINGLE);
        registerUnder(VOL);
        assertThat(claim(VOL, "b", "n2")).isNotDone();
        rig.gateway.forgetPlanned(Rpc.NODE_UNPUBLISH_VOLUME);
        rig.clock.advance(Duration.ofMinutes(30));
        assertThat(rig.get(VOL).claims())
                .extracting(claim -> claim.allocationId().value())
                .containsExactly("b");
    }

    @Test
    void leftoverShowsWhoForgotTheVolumeAndWhereItMayBe() {
        forgetWhileMounted(SINGLE);
        Leftover leftover = rig.done(rig.host.operator().leftovers()).get(0);
        assertThat(leftover.key()).isEqualTo(LEFTOVER);
        assertThat(leftover.formerVolume()).isEqualTo(VOL);
        assertThat(leftover.claims())
                .extracting(
                        claim -> claim.allocationId().value(),
                        claim -> claim.nodeId().value())
                .containsExactly(tuple("a", "n1"));
        assertThat(leftover.attachments()).hasSize(1);
        assertThat(leftover.forgotten().reason()).isEqualTo("the host has no such volume any more");
    }

    @Test
    void fencingTheNodeEndsTheMountAndTheControllerThenDetaches() {
        forgetWhileMounted(SINGLE);
        rig.ok(new NodeCommand.FenceNode(NodeId.of("n1"), "power is off", rig.now()));
        assertThat(rig.done(rig.host.operator().leftovers()).get(0).claims()).isEmpty();
        registerUnder(OTHER_NAME);
        CompletableFuture<ClaimGrant> elsewhere = claim(OTHER_NAME, "b", "n2");
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(elsewhere).isCompleted();
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_UNPUBLISH_VOLUME)).hasSize(1);
    }

    /** Another machine registers as node n1; the one that has the volume mounted may still run. */
    private void replaceMachine() {
        rig.fingerprint(rig.instance("n1")
                .nodeInfo(new NodeInfo(ExternalNodeId.of("another-machine"), 0, Optional.empty()))
                .build());
    }

    @Test
    void fencingAnotherMachineUnderTheSameNodeIdDoesNotEndTheMount() {
        forgetWhileMounted(SINGLE);
        replaceMachine();
        rig.ok(new NodeCommand.FenceNode(NodeId.of("n1"), "power is off", rig.now()));
        assertThat(rig.done(rig.host.operator().leftovers()).get(0).claims()).hasSize(1);
    }

    @Test
    void mountOfFormerMachineIsLeftAlthoughThePresentMachineIsGone() {
        rig.done(rig.claim("a", "n1", SINGLE));
        replaceMachine();
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        rig.ok(new NodeCommand.RemoveNode(NodeId.of("n1"), "scrapped", rig.now()));
        rig.done(rig.host.operator().forgetVolume(VOL, "the host has no such volume any more"));
        assertThat(rig.done(rig.host.operator().leftovers()).get(0).claims()).hasSize(1);
    }

    @Test
    void overrideOfTheClaimOnTheNewVolumeEndsTheWait() {
        forgetWhileMounted(SINGLE);
        registerUnder(OTHER_NAME);
        CompletableFuture<ClaimGrant> elsewhere = claim(OTHER_NAME, "b", "n2");
        rig.done(rig.host.operator().overrideClaim(OTHER_NAME, AllocationId.of("a"), "n1 was reinstalled"));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(elsewhere).isCompleted();
    }

    @Test
    void overrideOfTheLeftoverEndsItBeforeAVolumeTakesItOver() {
        forgetWhileMounted(SINGLE);
        rig.done(rig.host.operator().overrideLeftover(LEFTOVER, "n1 was reinstalled, and the array is clean"));
        assertThat(rig.done(rig.host.operator().leftovers())).isEmpty();
        registerUnder(OTHER_NAME);
        rig.done(claim(OTHER_NAME, "b", "n2"));
        assertThat(rig.failed(rig.host.operator().overrideLeftover(LEFTOVER, "again"), CsiRequestException.class))
                .hasMessageContaining(EXTERNAL.value());
    }

    @Test
    void reportOfTheNodeByTheFormerNameEndsTheMount() {
        forgetWhileMounted(SINGLE);
        rig.done(rig.host
                .claims()
                .nodeReleased(VOL, NodeId.of("n2"), AllocationId.of("a"))
                .exceptionally(wrong -> null));
        assertThat(rig.log.snapshot().leftover(LEFTOVER).orElseThrow().claims()).hasSize(1);
        rig.done(rig.host.claims().nodeReleased(VOL, NodeId.of("n1"), AllocationId.of("a")));
        assertThat(rig.log.snapshot().leftover(LEFTOVER).orElseThrow().claims()).isEmpty();
    }

    @Test
    void reportOfTheNodeByTheFormerNameEndsTheClaimThatWasTakenOver() {
        forgetWhileMounted(SINGLE);
        registerUnder(OTHER_NAME);
        CompletableFuture<ClaimGrant> elsewhere = claim(OTHER_NAME, "b", "n2");
        rig.done(rig.host.claims().nodeReleased(VOL, NodeId.of("n1"), AllocationId.of("a")));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(elsewhere).isCompleted();
    }

    @Test
    void volumeThatIsForgottenTwiceKeepsTheNameThatTheNodeKnows() {
        forgetWhileMounted(SINGLE);
        registerUnder(OTHER_NAME);
        rig.done(rig.host.operator().forgetVolume(OTHER_NAME, "once more"));
        Leftover leftover = rig.done(rig.host.operator().leftovers()).get(0);
        assertThat(leftover.formerVolume()).isEqualTo(OTHER_NAME);
        assertThat(leftover.claims()).extracting(Claim::formerVolume).containsExactly(Optional.of(VOL));
    }

    @Test
    void forgettingAVolumeNeedsManagementAndAReason() {
        LifecycleRig guarded = LifecycleRig.guarded();
        guarded.grant("default", Permission.VOLUME_WRITE);
        AccessDeniedException denied =
                guarded.failed(guarded.as("eve").operator().forgetVolume(VOL, "because"), AccessDeniedException.class);
        assertThat(denied).hasMessageContaining("MANAGEMENT");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rig.done(rig.host.operator().forgetVolume(VOL, "")));
    }

    @Test
    void unusedVolumeLeavesNothing() {
        rig.done(rig.host.operator().forgetVolume(VOL, "not needed"));
        assertThat(rig.done(rig.host.operator().leftovers())).isEmpty();
    }
}
