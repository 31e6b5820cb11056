package io.csi4j.core.internal.apply;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.PluginType;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchRejectionTest {
    @Test
    void rejectedCommandInBatchUndoesEarlierCommandsOfBatch() {
        Cluster cluster = Cluster.attaching().nodes("n1");
        Rejection.InBatch refused = cluster.refused(
                Rejection.InBatch.class,
                new Batch(
                        List.of(
                                new PluginCommand.RemoveInstance(Cluster.key("n1", PluginType.MONOLITH), Cluster.AT),
                                new NodeCommand.RemoveNode(NodeId.of("n1"), "sold", Cluster.AT),
                                new NodeCommand.FenceNode(NodeId.of("stranger"), "", Cluster.AT)),
                        Cluster.AT));
        assertThat(refused.position()).isEqualTo(2);
        assertThat(refused.cause()).isEqualTo(new Rejection.NodeNotFound(NodeId.of("stranger")));
        assertThat(cluster.statusOf("n1")).contains(NodeStatus.READY);
        assertThat(cluster.state.instancesOn(NodeId.of("n1"))).hasSize(1);
    }
}
