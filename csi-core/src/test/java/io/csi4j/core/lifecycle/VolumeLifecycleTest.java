package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static io.csi4j.core.lifecycle.LifecycleRig.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Claims and releases as a host and its callers use them: by the public API alone. */
class VolumeLifecycleTest {
    private static final AllocationId A = AllocationId.of("a");
    private static final NodeId N1 = NodeId.of("n1");

    /** Every operation about claims, so that none is forgotten. */
    private static List<Function<CallerOperations, CompletableFuture<?>>> operations(VolumeKey key) {
        return List.of(
                api -> api.claims().claim(A, List.of(write(key, SINGLE))),
                api -> api.claims().release(key, A),
                api -> api.claims().nodeReleased(key, N1, A),
                api -> api.operator().detach(key, N1),
                api -> api.operator().recheck(key),
                api -> api.operator().overrideClaim(key, A, "scrap"),
                api -> api.operator().overrideAttachment(key, N1, "scrap"),
                api -> api.claims().status(key));
    }

    private static Claim claim(LifecycleRig rig) {
        return rig.get(VOL).claims().get(A).orElseThrow();
    }

    @Test
    void volumeCanBeClaimedReleasedAndClaimedAgain() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        for (int i = 0; i < 2; i++) {
            ClaimGrant grant = rig.done(rig.claim("a", "n1", SINGLE));
            assertThat(grant.allocationId()).isEqualTo(A);
            assertThat(grant.volumes()).hasSize(1);
            assertThat(grant.volumes().get(0).claim()).isEqualTo(claim(rig));
            VolumeStatus status = rig.done(rig.host.claims().status(VOL)).orElseThrow();
            assertThat(status.view().claims()).hasSize(1);
            assertThat(status.remaining().isDone()).isTrue();

            CompletableFuture<ClaimGrant> second = rig.claim("b", "n2", SINGLE);
            assertThat(second).isNotDone();
            assertThat(rig.done(rig.host.claims().status(VOL)).orElseThrow().waiting())
                    .extracting(WaitingClaim::allocationId)
                    .containsExactly(AllocationId.of("b"));
            assertThat(second.cancel(false)).isTrue();

            rig.done(rig.host.claims().release(VOL, A));
            assertThat(rig.calls())
                    .containsExactly(
                            "CONTROLLER_PUBLISH_VOLUME", "NODE_UNPUBLISH_VOLUME@n1", "CONTROLLER_UNPUBLISH_VOLUME");
            assertThat(rig.get(VOL).inUse()).isFalse();
            assertThat(rig.done(rig.host.claims().status(VOL)).orElseThrow().waiting())
                    .isEmpty();
            assertThat(rig.workers()).isZero();
            rig.gateway.calls().clear();
        }
    }

    @Test
    void claimIsFreedByNodeReportOrOperatorDetach() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.gateway.calls().clear();
        rig.done(rig.host.claims().nodeReleased(VOL, NodeId.of("n2"), A));
        assertThat(claim(rig).state())
                .as("a report of n2 does not release the claim on n1")
                .isEqualTo(ClaimState.TAKEN);
        rig.done(rig.host.claims().nodeReleased(VOL, N1, A));
        assertThat(rig.calls())
                .as("no unmount call after the node reported the unmount")
                .containsExactly("CONTROLLER_UNPUBLISH_VOLUME");
        assertThat(rig.get(VOL).inUse()).isFalse();

        rig.done(rig.claim("a", "n1", SINGLE));
        DetachReport held = rig.done(rig.host.operator().detach(VOL, N1));
        assertThat(held.held()).extracting(Claim::allocationId).containsExactly(A);
        assertThat(held.detached()).isFalse();
        rig.gateway.fail(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.INTERNAL);
        rig.done(rig.host.claims().release(VOL, A));
        assertThat(rig.get(VOL).inUse()).isTrue();
        DetachReport report = rig.done(rig.host.operator().detach(VOL, N1));
        assertThat(report.freed()).containsExactly(A);
        assertThat(report.detached()).isTrue();
    }

    @Test
    void detachReportWithoutNodeIsRejected() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        assertThatNullPointerException()
                .isThrownBy(() -> new DetachReport(
                        VOL, null, List.of(), List.of(), List.of(), Optional.empty(), List.of(), Optional.empty()));
        assertThatIllegalArgumentException().isThrownBy(() -> NodeId.of(""));
        DetachReport nothing = rig.done(rig.host.operator().detach(VOL, N1));
        assertThat(nothing.nodeId()).isEqualTo(N1);
        assertThat(nothing.freed()).isEmpty();
    }

    /** The node that runs an allocation claims for it, with authority to mount and no other. */
    @Test
    void mountPermissionAllowsOnlyClaimingReleasingAndDetachingVolume() {
        LifecycleRig rig = LifecycleRig.guarded().volume(VOL);
        rig.grant("default", Permission.VOLUME_MOUNT);
        rig.allocation("a", "n1");
        rig.failed(rig.as("node-n1").claims().claim(A, List.of(write(VOL, SINGLE))), AccessDeniedException.class);
        rig.grant(Permission.PLUGIN_READ);
        CallerOperations node = rig.as("node-n1");
        ClaimGrant grant = rig.done(node.claims().claim(A, List.of(write(VOL, SINGLE))));
        assertThat(grant.volumes()).hasSize(1);
        rig.failed(node.operator().recheck(VOL), AccessDeniedException.class);
        rig.failed(node.claims().status(VOL), AccessDeniedException.class);
        rig.failed(node.operator().overrideClaim(VOL, A, "I say so"), AccessDeniedException.class);
        rig.failed(node.operator().overrideAttachment(VOL, N1, "I say so"), AccessDeniedException.class);
        rig.failed(node.volumes().delete(VOL), AccessDeniedException.class);
        rig.failed(node.operator().forgetVolume(VOL, "by the test"), AccessDeniedException.class);
        assertThat(claim(rig).state()).isEqualTo(ClaimState.TAKEN);
        assertThat(rig.done(node.operator().detach(VOL, N1)).held()).hasSize(1);
        rig.failed(node.claims().nodeReleased(VOL, N1, A), AccessDeniedException.class);
        rig.done(node.claims().release(VOL, A));
        assertThat(rig.get(VOL).inUse()).isFalse();
    }

    @Test
    void deniedOperationNeitherRevealsVolumeNorWritesStateNorCallsPlugin() {
        LifecycleRig rig = LifecycleRig.guarded().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.gateway.calls().clear();
        rig.grant("other", Permission.VOLUME_MOUNT, Permission.VOLUME_READ, Permission.VOLUME_WRITE);
        int commands = rig.log.commands.size();
        for (VolumeKey key : List.of(VOL, VolumeKey.of("default", "none"))) {
            for (Function<CallerOperations, CompletableFuture<?>> operation : operations(key)) {
                assertThat(rig.failed(operation.apply(rig.as("eve")), AccessDeniedException.class))
                        .as("the message does not reveal whether %s exists", key)
                        .hasMessageContaining("'eve' needs");
            }
        }
        assertThat(rig.log.commands).hasSize(commands);
        assertThat(rig.gateway.calls()).isEmpty();
        assertThat(claim(rig).state()).isEqualTo(ClaimState.TAKEN);
    }

    @Test
    void claimOnSeveralVolumesNeedsMountPermissionForEachVolume() {
        VolumeKey other = VolumeKey.of("other", "vol");
        LifecycleRig rig = LifecycleRig.guarded().volume(VOL);
        rig.done(rig.host
                .volumes()
                .register(
                        other,
                        LifecycleRig.spec().sharedWith(List.of(VOL.namespace())).build()));
        rig.gateway.calls().clear();
        rig.grant("default", Permission.VOLUME_MOUNT).grant(Permission.PLUGIN_READ);
        rig.allocation("a", "n1");
        rig.failed(
                rig.as("eve").claims().claim(A, List.of(write(VOL, SINGLE), write(other, SINGLE))),
                AccessDeniedException.class);
        assertThat(rig.get(VOL).inUse()).isFalse();
        rig.grant("other", Permission.VOLUME_MOUNT);
        assertThat(rig.done(rig.as("eve").claims().claim(A, List.of(write(VOL, SINGLE), write(other, SINGLE))))
                        .volumes())
                .hasSize(2);
    }

    /** The authority asked for is that of the namespace in the object's own key; there is no other one to lie with. */
    @Test
    void writePermissionAllowsRegistrationOnlyInNamespaceForWhichItIsGranted() {
        LifecycleRig rig = LifecycleRig.guarded();
        rig.grant("team", Permission.VOLUME_WRITE);
        rig.failed(
                rig.as("eve")
                        .volumes()
                        .register(VolumeKey.of("team", "v"), LifecycleRig.spec().build()),
                AccessDeniedException.class);
        rig.grant(Permission.PLUGIN_READ);
        rig.failed(
                rig.as("eve")
                        .volumes()
                        .register(VolumeKey.of("team", "v"), LifecycleRig.spec().build()),
                AccessDeniedException.class);
        rig.grant(Permission.MANAGEMENT);
        Volume made = rig.done(rig.as("eve")
                .volumes()
                .register(VolumeKey.of("team", "v"), LifecycleRig.spec().build()));
        assertThat(made.key()).isEqualTo(VolumeKey.of("team", "v"));
        rig.failed(
                rig.as("eve")
                        .volumes()
                        .register(
                                VolumeKey.of("default", "v"),
                                LifecycleRig.spec().build()),
                AccessDeniedException.class);
        rig.failed(
                rig.as("eve")
                        .volumes()
                        .create(
                                VolumeKey.of("default", "w"),
                                LifecycleRig.newSpec().build()),
                AccessDeniedException.class);
        assertThat(rig.done(rig.host.volumes().list(VolumeQuery.all())).items())
                .extracting(VolumeSummary::key)
                .containsExactly(VolumeKey.of("team", "v"));
    }

    @Test
    void volumeStatusHidesSensitiveValues() {
        LifecycleRig rig = LifecycleRig.guarded().volume(VOL);
        rig.gateway.answer(
                Rpc.CONTROLLER_PUBLISH_VOLUME,
                request -> new ControllerPublishVolumeResponse(PublishContext.of(Map.of("device", "/dev/secret"))));
        rig.done(rig.claim("a", "n1", SINGLE));
        assertThat(rig.get(VOL)
                        .attachments()
                        .on(N1)
                        .orElseThrow()
                        .publishContext()
                        .isEmpty())
                .isFalse();
        rig.grant("default", Permission.VOLUME_READ, Permission.VOLUME_MOUNT).grant(Permission.PLUGIN_READ);
        VolumeStatus status = rig.done(rig.as("reader").claims().status(VOL)).orElseThrow();
        Volume found = status.view().volume();
        assertThat(found.spec().secrets().isEmpty()).isTrue();
        assertThat(found.volumeContext().isEmpty()).isTrue();
        assertThat(found.attachments())
                .allMatch(attachment -> attachment.publishContext().isEmpty());
        assertThat(found.claims()).hasSize(1);

        DetachReport report = rig.done(rig.as("reader").operator().detach(VOL, N1));
        assertThat(report.attachment()).map(Attachment::publishContext).contains(PublishContext.empty());
    }

    @Test
    void operatorOverrideIsStoredWithNameOfOperatorAndReason() {
        LifecycleRig rig = LifecycleRig.guarded().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.gateway.plan(Rpc.NODE_UNPUBLISH_VOLUME, call -> new CompletableFuture<>());
        rig.done(rig.host.claims().release(VOL, A));
        rig.grant(Permission.MANAGEMENT);
        rig.gateway.plan(Rpc.CONTROLLER_UNPUBLISH_VOLUME, call -> new CompletableFuture<>());
        rig.done(rig.as("olga").operator().overrideClaim(VOL, A, "the node is scrap"));
        OperatorOverride word = claim(rig).operatorOverride().orElseThrow();
        assertThat(word.operator()).isEqualTo("olga");
        assertThat(word.reason()).isEqualTo("the node is scrap");
        assertThat(claim(rig).state()).isEqualTo(ClaimState.NODE_DETACHED);
        rig.done(rig.as("olga").operator().overrideAttachment(VOL, N1, "pulled the disk"));
        assertThat(rig.log.commands.toString()).contains("pulled the disk", "olga");
        rig.clock.advance(Duration.ofMinutes(20));
        assertThat(rig.get(VOL).inUse()).isFalse();
        assertThat(rig.workers()).isZero();
    }

    @Test
    void claimsFailButReleasesAreStoredIfNoServerLeads() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.gateway.calls().clear();
        CompletableFuture<ClaimGrant> waiting = rig.claim("b", "n2", SINGLE);
        assertThat(waiting).isNotDone();
        rig.host.stopLeading();
        rig.host.stopLeading();
        rig.failed(waiting, NotLeadingException.class);
        assertThat(rig.log.watches()).as("no watches are left").isZero();

        rig.failed(rig.claim("b", "n2", SINGLE), NotLeadingException.class);
        rig.failed(rig.host.operator().detach(VOL, N1), NotLeadingException.class);
        rig.done(rig.host.claims().release(VOL, A));
        assertThat(rig.done(rig.host.claims().status(VOL))
                        .orElseThrow()
                        .remaining()
                        .isDone())
                .as("work remains for the next leader")
                .isFalse();
        assertThat(rig.gateway.calls()).isEmpty();

        rig.host.startLeading();
        int watches = rig.log.watches();
        rig.host.startLeading();
        assertThat(rig.log.watches()).as("a repeated start adds no watches").isEqualTo(watches);
        rig.clock.run();
        assertThat(rig.calls()).containsExactly("NODE_UNPUBLISH_VOLUME@n1", "CONTROLLER_UNPUBLISH_VOLUME");
        assertThat(rig.get(VOL).inUse()).isFalse();
    }

    /** A callback sees the very exception that says what to do, whichever operation it is about. */
    @Test
    void operationOnUnknownVolumeFailsWithUnwrappedRejectedException() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.allocation("a", "n1");
        for (Function<CallerOperations, CompletableFuture<?>> operation : operations(VOL)) {
            CompletableFuture<?> future = operation.apply(rig.host);
            CompletableFuture<Throwable> found = future.handle((done, failure) -> failure);
            rig.clock.run();
            assertThat(found).isDone();
            Throwable failure = found.join();
            if (failure == null) {
                assertThat(future.join()).as("an unknown volume has no status").isEqualTo(Optional.empty());
            } else {
                assertThat(failure).isInstanceOf(RejectedException.class);
                assertThat(((RejectedException) failure).reason()).isEqualTo(new Rejection.VolumeNotFound(VOL));
            }
        }
    }
}
