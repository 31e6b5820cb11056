package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What follows from a fact is written with it; and if it does not follow any more, the fact is written alone. */
class FollowUpCommandsTest {
    private static List<List<String>> written(ClaimRig rig, int from) {
        List<List<String>> written = new ArrayList<>();
        for (Command command : rig.log.commands.subList(from, rig.log.commands.size())) {
            List<Command> parts = command instanceof Batch batch ? batch.commands() : List.of(command);
            written.add(parts.stream()
                    .map(part -> part instanceof ClaimCommand.CheckpointClaim checkpoint
                            ? checkpoint.state().name()
                            : part.getClass().getSimpleName())
                    .toList());
        }
        return written;
    }

    @Test
    void releaseNeedsOneTransactionPerPluginCall() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.use("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.ended("a", "n1");
        rig.free("v");
        assertThat(written(rig, 0))
                .endsWith(
                        List.of("NODE_DETACHED", "RecordUnpublishing"),
                        List.of("RemoveAttachment", "READY_TO_FREE", "FreeClaim"));
    }

    @Test
    void releaseOnLostNodeNeedsTwoTransactions() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        rig.use("a", "n2", write("v", SINGLE_NODE_WRITER));
        rig.provider.mounted.clear();
        rig.status("n2", NodeStatus.FENCED);
        rig.run();
        rig.free("v");
        assertThat(written(rig, 0))
                .endsWith(
                        List.of("FenceNode"),
                        List.of("NODE_DETACHED", "RecordUnpublishing"),
                        List.of("RemoveAttachment", "READY_TO_FREE", "FreeClaim"));
    }

    /** Between the look and the write another allocation claims the volume there: the node's answer holds, no more. */
    @Test
    void resultOfNodeCallIsStoredEvenIfFollowUpCommandIsRejected() {
        ClaimRequest request = write("v", MULTI_NODE_MULTI_WRITER);
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER);
        rig.use("a", "n1", request);
        rig.allocation("b", "n1", AllocationStatus.RUNNING);
        rig.gateway.calls().clear();
        var answering = rig.gateway.script;
        rig.gateway.script = call -> {
            rig.gateway.script = answering;
            rig.log.afterSnapshot = () -> rig.log
                    .submit(new ClaimCommand.TakeClaims(AllocationId.of("b"), List.of(request), rig.clock.instant()))
                    .join();
            call.succeed();
            return true;
        };
        int from = rig.log.commands.size();
        rig.ended("a", "n1");
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1");
        assertThat(written(rig, from))
                .containsSubsequence(
                        List.of("TakeClaims"),
                        List.of("NODE_DETACHED", "RecordUnpublishing"),
                        List.of("NODE_DETACHED"),
                        List.of("READY_TO_FREE", "FreeClaim"));
        assertThat(rig.state("v", "a")).isEmpty();
        assertThat(rig.state("v", "b")).contains(ClaimState.TAKEN);
        assertThat(rig.get("v").attachments().on(NodeId.of("n1")).orElseThrow().state())
                .isEqualTo(AttachmentState.PUBLISHED);
    }
}
