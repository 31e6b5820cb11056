package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.internal.apply.Cluster.request;
import static io.csi4j.core.internal.apply.Cluster.take;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests claims of several volumes in one command. */
class MultiVolumeClaimTest {
    private static final ClaimRequest TAKEN = request("taken", ClaimMode.WRITE, SINGLE_NODE_WRITER);
    private static final ClaimRequest TAKEN_TOO = request("taken-too", ClaimMode.WRITE, SINGLE_NODE_WRITER);
    private static final ClaimRequest FREE = request("free", ClaimMode.WRITE, SINGLE_NODE_WRITER);
    private static final ClaimRequest NEVER = request("free", ClaimMode.WRITE, MULTI_NODE_MULTI_WRITER);
    private static final ClaimRequest UNKNOWN = request("none", ClaimMode.WRITE, SINGLE_NODE_WRITER);

    private final Cluster cluster = Cluster.attaching().nodes("n1", "n2");

    @BeforeEach
    void twoOfThreeAreTaken() {
        for (ClaimRequest request : new ClaimRequest[] {TAKEN, TAKEN_TOO, FREE}) {
            cluster.volume(request.volume().volumeId().value(), SINGLE_NODE_WRITER);
        }
        cluster.claim("a", "n1", "taken", ClaimMode.WRITE, SINGLE_NODE_WRITER);
        cluster.claim("a2", "n1", "taken-too", ClaimMode.WRITE, SINGLE_NODE_WRITER);
        cluster.allocation("b", "n2");
    }

    private AdmissionDecision refused(ClaimRequest... requests) {
        return cluster.refused(Rejection.NotAdmitted.class, take("b", requests)).decision();
    }

    @Test
    void permanentRefusalOfOneVolumeTakesPrecedenceOverWaitForAnotherVolume() {
        assertThat(refused(TAKEN, NEVER)).isInstanceOf(AdmissionDecision.Never.class);
        assertThat(refused(NEVER, TAKEN)).isInstanceOf(AdmissionDecision.Never.class);
        assertThat(cluster.refused(Rejection.VolumeNotFound.class, take("b", TAKEN, UNKNOWN))
                        .key())
                .isEqualTo(vol("none"));
        assertThat(cluster.refused(Rejection.VolumeNotFound.class, take("b", UNKNOWN, TAKEN))
                        .key())
                .isEqualTo(vol("none"));
    }

    @Test
    void claimOnSeveralUnavailableVolumesReportsFirstUnavailableVolume() {
        Rejection.NotAdmitted refused = cluster.refused(Rejection.NotAdmitted.class, take("b", FREE, TAKEN, TAKEN_TOO));
        assertThat(refused.key()).isEqualTo(vol("taken"));
        assertThat(refused.decision())
                .isInstanceOfSatisfying(
                        AdmissionDecision.Wait.class,
                        wait -> assertThat(wait.reason()).isEqualTo(WaitReason.CLAIMED_ON_OTHER_NODE));
        assertThat(cluster.get("free").claims()).isEmpty();
    }

    /** The former claim is still being released, but waiting is useless because the allocation has ended. */
    @Test
    void endedAllocationIsRejectedInsteadOfWaitingForItsOwnClaim() {
        cluster.ok(take("b", FREE));
        cluster.ended("b", "n2");
        assertThat(cluster.claimOf("free", "b").orElseThrow().state()).isEqualTo(ClaimState.UNPUBLISHING);
        cluster.volume("more", SINGLE_NODE_WRITER);
        cluster.refused(
                Rejection.AllocationEnded.class, take("b", FREE, request("more", ClaimMode.WRITE, SINGLE_NODE_WRITER)));
    }
}
