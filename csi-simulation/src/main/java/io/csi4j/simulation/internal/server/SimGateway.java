package io.csi4j.simulation.internal.server;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.simulation.internal.node.NodeSide;
import io.csi4j.simulation.internal.node.SimAgent;
import io.csi4j.simulation.internal.plugin.CallsInFlight;
import io.csi4j.simulation.internal.plugin.SimController;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.SimWorld;
import java.util.concurrent.CompletableFuture;

/** The gateway from one server process to all nodes. */
public final class SimGateway implements NodeGateway {
    private final SimWorld world;
    private final SimProcess process;
    private final CallsInFlight calls;
    private final NodeSide side;

    public SimGateway(SimWorld world, SimProcess process, NodeSide side) {
        this.side = side;
        this.world = world;
        this.process = process;
        this.calls = new CallsInFlight(world);
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        return new SimController(world, process, calls, instance).service();
    }

    private SimAgent agent(NodeId nodeId) {
        return new SimAgent(world, process, calls, nodeId, side);
    }

    @Override
    public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
        CompletableFuture<NodeDetached> answer = agent(nodeId).detach(request);
        var unused = answer.thenRun(() -> world.grace().saidByNode(request.volume(), request.allocationId()));
        return answer;
    }

    @Override
    public CompletableFuture<LedgerReport> ledger(NodeId nodeId) {
        return agent(nodeId).ledger();
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        return new SimController(world, process, calls, instance).groupService();
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        return agent(nodeId).expand(request);
    }

    @Override
    public CompletableFuture<GetPluginInfoResponse> pluginInfo(NodeId nodeId, PluginId pluginId) {
        return agent(nodeId).pluginInfo(pluginId);
    }

    @Override
    public CompletableFuture<Void> refreshNodeInfo(NodeId nodeId, PluginId pluginId) {
        return agent(nodeId).refreshNodeInfo(pluginId);
    }
}
