package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClaimNamespacesTest {
    private static final VolumeKey KEY = VolumeKey.of("default", "v");
    private static final AllocationId STRANGER = AllocationId.of("stranger");

    private final LifecycleRig rig = LifecycleRig.leading().volume(KEY);

    private void stranger(String node) {
        rig.ok(new AllocationCommand.UpsertAllocation(
                STRANGER,
                Namespace.of("team-b"),
                NodeId.of(node),
                Optional.empty(),
                AllocationStatus.RUNNING,
                rig.now()));
    }

    @Test
    void claimOnVolumeOfOtherNamespaceIsRejectedWithErrorThatContainsBothNamespaces() {
        stranger("n1");
        var claim = rig.host.claims().claim(STRANGER, List.of(LifecycleRig.write(KEY, LifecycleRig.SHARED)));
        rig.run();
        assertThat(claim).isCompletedExceptionally();
        assertThat(rig.failed(claim, RejectedException.class))
                .hasMessageContaining("namespace team-b")
                .hasMessageContaining("namespace default")
                .hasMessageContaining("share");
        assertThat(rig.calls()).isEmpty();
        assertThat(rig.log.snapshot().volume(KEY).orElseThrow().claims()).isEmpty();
    }

    private Volume share(String... namespaces) {
        return rig.done(rig.host
                .volumes()
                .register(
                        KEY,
                        LifecycleRig.spec()
                                .externalVolumeId(ExternalVolumeId.of("ext-" + KEY))
                                .sharedWith(
                                        Stream.of(namespaces).map(Namespace::of).toList())
                                .build()));
    }

    private CompletableFuture<ClaimGrant> ask(VolumeLifecycle lifecycle) {
        var claim = lifecycle.claims().claim(STRANGER, List.of(LifecycleRig.write(KEY, LifecycleRig.SHARED)));
        rig.run();
        return claim;
    }

    @Test
    void claimOnVolumeSharedWithNamespaceOfAllocationIsGranted() {
        stranger("n1");
        share("team-b", "team-c");
        assertThat(rig.done(ask(rig.host)).volumes()).hasSize(1);
    }

    @Test
    void claimOnVolumeSharedOnlyWithUnrelatedNamespaceIsRefused() {
        stranger("n1");
        share("team-c");
        rig.failed(ask(rig.host), RejectedException.class);
    }

    @Test
    void existingClaimIsKeptAndRepeatedClaimIsRefusedAfterSharingEnds() {
        stranger("n1");
        share("team-b");
        rig.done(ask(rig.host));
        assertThat(share().spec().sharedWith()).isEmpty();
        assertThat(rig.failed(ask(rig.host), RejectedException.class).reason())
                .isInstanceOfSatisfying(
                        Rejection.NotAdmitted.class,
                        reason -> assertThat(reason.decision())
                                .isInstanceOfSatisfying(
                                        AdmissionDecision.Never.class,
                                        never -> assertThat(never.reason()).isEqualTo(NeverReason.OTHER_NAMESPACE)));
        assertThat(rig.get(KEY).claims().get(STRANGER).orElseThrow().state()).isEqualTo(ClaimState.TAKEN);
    }

    @Test
    void claimFailsIfSharingEndsDuringPublish() {
        stranger("n1");
        share("team-b");
        rig.gateway.leaveOpen();
        var claim = ask(rig.host);
        assertThat(claim).isNotDone();
        rig.ok(new VolumeCommand.RegisterVolume(
                KEY, LifecycleRig.spec().build(), VolumeOrigin.REGISTERED, ProviderFacts.none(), rig.now()));
        rig.gateway.answer();
        rig.gateway.only().succeed();
        assertThat(rig.failed(claim, RejectedException.class)).hasMessageContaining("team-b");
        assertThat(rig.get(KEY).claims().get(STRANGER).map(Claim::state))
                .as("the claim is released again")
                .isNotEqualTo(Optional.of(ClaimState.TAKEN));
    }

    @Test
    void claimOnSharedVolumeWithoutMountPermissionInNamespaceOfAllocationIsDenied() {
        LifecycleRig guarded = LifecycleRig.guarded().volume(KEY);
        guarded.ok(new AllocationCommand.UpsertAllocation(
                STRANGER,
                Namespace.of("team-b"),
                NodeId.of("n1"),
                Optional.empty(),
                AllocationStatus.RUNNING,
                guarded.now()));
        guarded.grant("default", Permission.VOLUME_MOUNT).grant(Permission.PLUGIN_READ);
        assertThat(guarded.failed(
                        guarded.as("eve")
                                .claims()
                                .claim(STRANGER, List.of(LifecycleRig.write(KEY, LifecycleRig.SHARED))),
                        AccessDeniedException.class))
                .hasMessageContaining("VOLUME_MOUNT in the namespace of allocation " + STRANGER)
                .hasMessageNotContaining("team-b");
    }
}
