package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SHARED;
import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static io.csi4j.core.lifecycle.LifecycleRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.RequestedCapability;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A claim of several volumes that no waiting cures is refused, whatever else it would have to wait for. */
class HopelessClaimTest {
    private static final VolumeKey OTHER = VolumeKey.of("default", "other");
    private static final VolumeKey NONE = VolumeKey.of("default", "none");
    private static final ClaimRequest TAKEN = write(VOL, SINGLE);
    private static final ClaimRequest FREE = write(OTHER, SHARED);
    private static final ClaimRequest UNKNOWN = write(NONE, SHARED);
    private static final ClaimRequest WRONG =
            write(OTHER, RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_SINGLE_WRITER));

    private final LifecycleRig rig = LifecycleRig.leading().volume(VOL).volume(OTHER);

    private CompletableFuture<ClaimGrant> claim(String allocation, String node, List<ClaimRequest> requests) {
        rig.allocation(allocation, node);
        CompletableFuture<ClaimGrant> claim = rig.host.claims().claim(AllocationId.of(allocation), requests);
        rig.clock.run();
        return claim;
    }

    private int inQueue() {
        return rig.host.engine().claims().waiting();
    }

    private Rejection refused(CompletableFuture<ClaimGrant> claim) {
        return rig.failed(claim, RejectedException.class).reason();
    }

    static Stream<List<ClaimRequest>> inVain() {
        return Stream.of(
                List.of(TAKEN, WRONG), List.of(WRONG, TAKEN), List.of(TAKEN, UNKNOWN), List.of(UNKNOWN, TAKEN));
    }

    private static void inadmissibleClaimFailsWithReason(Rejection rejection, List<ClaimRequest> requests) {
        if (requests.contains(UNKNOWN)) {
            assertThat(rejection).isEqualTo(new Rejection.VolumeNotFound(NONE));
        } else {
            assertThat(rejection)
                    .isInstanceOfSatisfying(
                            Rejection.NotAdmitted.class,
                            refused -> assertThat(refused.decision())
                                    .isInstanceOfSatisfying(
                                            AdmissionDecision.Never.class,
                                            never -> assertThat(never.reason())
                                                    .isEqualTo(NeverReason.CAPABILITY_NOT_REQUESTED)));
        }
    }

    @ParameterizedTest
    @MethodSource("inVain")
    void claimThatCanNeverBeGrantedIsRejectedWithoutChangeOfState(List<ClaimRequest> requests) {
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.allocation("b", "n2");
        long index = rig.log.snapshot().index();
        inadmissibleClaimFailsWithReason(refused(claim("b", "n2", requests)), requests);
        assertThat(rig.get(VOL).claims().get(AllocationId.of("b"))).isEmpty();
        assertThat(rig.get(OTHER).claims()).isEmpty();
        assertThat(rig.get(OTHER).modifyIndex()).isLessThanOrEqualTo(index);
        assertThat(inQueue()).isZero();
    }

    /** Who is before it goes on waiting, and is not passed. */
    @ParameterizedTest
    @MethodSource("inVain")
    void claimThatCanNeverBeGrantedIsRejectedAtOnceEvenBehindWaitingClaim(List<ClaimRequest> requests) {
        rig.done(rig.claim("a", "n1", SINGLE));
        CompletableFuture<ClaimGrant> before = rig.claim("b", "n2", SINGLE);
        inadmissibleClaimFailsWithReason(refused(claim("c", "n2", requests)), requests);
        assertThat(before).isNotDone();
        assertThat(inQueue()).isOne();
    }

    @Test
    void waitingClaimIsRejectedWhenOneOfItsVolumesIsDeregistered() {
        rig.done(rig.claim("a", "n1", SINGLE));
        CompletableFuture<ClaimGrant> waiting = claim("b", "n2", List.of(TAKEN, FREE));
        assertThat(waiting).isNotDone();
        rig.done(rig.host.volumes().deregister(OTHER));
        assertThat(refused(waiting)).isEqualTo(new Rejection.VolumeNotFound(OTHER));
    }

    @Test
    void waitingClaimFailsWhenItsAllocationEnds() {
        rig.done(rig.claim("a", "n1", SINGLE));
        CompletableFuture<ClaimGrant> first = rig.claim("b", "n2", SINGLE);
        CompletableFuture<ClaimGrant> behind = rig.claim("c", "n2", SINGLE);
        rig.allocation("c", "n2", AllocationStatus.ENDED);
        assertThat(refused(behind)).isEqualTo(new Rejection.AllocationEnded(AllocationId.of("c")));
        assertThat(first).isNotDone();
        assertThat(inQueue()).isOne();
    }

    /** What only has to wait does so, and takes all of it at once. */
    @Test
    void claimThatCanStillBeGrantedLaterKeepsWaiting() {
        rig.done(rig.claim("a", "n1", SINGLE));
        CompletableFuture<ClaimGrant> waiting = claim("b", "n2", List.of(FREE, TAKEN));
        assertThat(waiting).isNotDone();
        assertThat(rig.get(OTHER).claims()).isEmpty();
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        assertThat(waiting).isCompleted();
        assertThat(rig.get(OTHER).claims().get(AllocationId.of("b"))).isPresent();
    }
}
