package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.RemainingWork;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DetachTest {
    private static final ClaimRequest V = write("v", MULTI_NODE_MULTI_WRITER);
    private static final NodeId N1 = NodeId.of("n1");

    private static CompletableFuture<DetachReport> detach(ClaimRig rig) {
        CompletableFuture<DetachReport> report = rig.engine.detach(Caller.ENGINE, key("v"), N1);
        rig.run();
        return report;
    }

    @Test
    void operatorDetachRetriesFailedStepsAtOnceAndReportsResult() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MULTI_NODE_MULTI_WRITER);
        rig.use("a", "n1", V).use("b", "n1", V);
        rig.gateway.failAll(StatusCode.FAILED_PRECONDITION);
        rig.ended("a", "n1");
        rig.ended("b", "n1");
        DetachReport failing = detach(rig).join();
        assertThat(failing.detached()).isFalse();
        assertThat(failing.freed()).isEmpty();
        assertThat(failing.releasing()).hasSize(2);
        assertThat(failing.releasing().get(0).retry().lastError()).isPresent();
        assertThat(failing.attachment()).isPresent();
        assertThat(failing.waits())
                .extracting(RemainingWork.Wait::reason)
                .contains(RemainingWork.Reason.RETRY_LATER, RemainingWork.Reason.CLAIMS_ON_NODE);

        rig.gateway.answer();
        DetachReport done = detach(rig).join();
        assertThat(done.detached())
                .as("the failed steps are retried without delay")
                .isTrue();
        assertThat(done.freed()).containsExactly(AllocationId.of("a"), AllocationId.of("b"));
        rig.free("v");
        assertThat(detach(rig).join().detached())
                .as("the report says that nothing is attached")
                .isTrue();
    }

    @Test
    void detachKeepsAndReportsClaimOfRunningAllocation() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MULTI_NODE_MULTI_WRITER);
        rig.use("a", "n1", V).use("b", "n1", V);
        rig.gateway.failAll(StatusCode.INTERNAL);
        rig.ended("a", "n1");
        rig.gateway.answer();
        DetachReport report = detach(rig).join();
        assertThat(report.detached()).isFalse();
        assertThat(report.freed()).containsExactly(AllocationId.of("a"));
        assertThat(report.held()).extracting(Claim::allocationId).containsExactly(AllocationId.of("b"));
        assertThat(rig.gateway.made()).doesNotContain("unpublish v@ext-n1");
    }

    @Test
    void detachFailsForUnknownVolumeOrWithoutLeader() {
        ClaimRig rig = ClaimRig.with("n1");
        assertThat(detach(rig)).isCompletedExceptionally();
        rig.volume("v", MULTI_NODE_MULTI_WRITER).use("a", "n1", V);
        rig.gateway.leaveOpen();
        rig.ended("a", "n1");
        CompletableFuture<DetachReport> pending = detach(rig);
        assertThat(pending).isNotDone();
        rig.engine.stop();
        rig.run();
        assertThat(pending).isCompletedExceptionally();
        assertThat(detach(rig)).isCompletedExceptionally();
    }

    @Test
    void reportIsAboutTheNodeOnly() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER);
        rig.use("a", "n1", V).use("b", "n2", V).use("c", "n2", V);
        rig.gateway.failAll(StatusCode.INTERNAL);
        rig.ended("a", "n1");
        rig.ended("b", "n2");
        DetachReport report = detach(rig).join();
        assertThat(report.waits()).isNotEmpty().allMatch(wait -> wait.nodeId().equals(Optional.of(N1)));
        assertThat(report.held()).isEmpty();
        assertThat(report.releasing()).extracting(Claim::allocationId).containsExactly(AllocationId.of("a"));

        rig.gateway.answer();
        assertThat(detach(rig).join().freed()).containsExactly(AllocationId.of("a"));
    }
}
