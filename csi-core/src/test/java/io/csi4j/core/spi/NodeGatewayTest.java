package io.csi4j.core.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GroupControllerService;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A gateway with the three methods that a host has to implement. */
class NodeGatewayTest {
    private static final NodeId NODE = NodeId.of("node-1");
    private static final PluginId PLUGIN = PluginId.of("ebs");
    private static final NodeVolumeQuery QUERY = new NodeVolumeQuery(
            VolumeKey.of("default", "db"), PLUGIN, ExternalVolumeId.of("vol-1"), AllocationId.of("web"));

    private final NodeGateway gateway = new NodeGateway() {
        @Override
        public ControllerService controller(InstanceKey instance) {
            throw new AssertionError("not called");
        }

        @Override
        public GroupControllerService groupController(InstanceKey instance) {
            throw new AssertionError("not called");
        }

        @Override
        public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
            throw new AssertionError("not called");
        }
    };

    @Test
    void callsThatGatewayDoesNotImplementFailPermanently() {
        isUnimplemented(gateway.volumeStats(NODE, QUERY), Rpc.NODE_GET_VOLUME_STATS);
        isUnimplemented(gateway.volumeHealth(NODE, QUERY), Rpc.NODE_GET_VOLUME_HEALTH);
        isUnimplemented(
                gateway.storageHealth(NODE, new StorageHealthQuery(PLUGIN, Secrets.empty())),
                Rpc.NODE_GET_STORAGE_HEALTH);
        isUnimplemented(gateway.refreshNodeInfo(NODE, PLUGIN), Rpc.NODE_GET_INFO);
        isUnimplemented(gateway.pluginInfo(NODE, PLUGIN), Rpc.GET_PLUGIN_INFO);
    }

    private static void isUnimplemented(CompletableFuture<?> answer, Rpc rpc) {
        assertThat(answer).isCompletedExceptionally();
        CsiCallException failure =
                (CsiCallException) answer.handle((value, failed) -> failed).join();
        assertThat(failure.rpc()).isEqualTo(rpc);
        assertThat(failure.code()).isEqualTo(StatusCode.UNIMPLEMENTED);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.NEVER);
        assertThat(failure).hasMessageContainingAll("does not support " + rpc.csiName(), "implement the method");
    }
}
