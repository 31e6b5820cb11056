package io.csi4j.simulation.internal.node;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
import io.csi4j.simulation.internal.plugin.CallsInFlight;
import io.csi4j.simulation.internal.plugin.SimCall;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.Refusal;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimWorld;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The agent of one node: it performs the engine's calls and reports calls that the engine must not make. */
public final class SimAgent {
    private final SimWorld world;
    private final SimProcess process;
    private final CallsInFlight calls;
    private final NodeId nodeId;
    private final NodeSide side;

    public SimAgent(SimWorld world, SimProcess process, CallsInFlight calls, NodeId nodeId, NodeSide side) {
        this.side = side;
        this.world = world;
        this.process = process;
        this.calls = calls;
        this.nodeId = nodeId;
    }

    /** Unmounts the volume, and unstages it after its last mount. */
    public CompletableFuture<NodeDetached> detach(NodeDetach request) {
        world.coverage().step(RemainingWork.Kind.NODE_DETACH);
        return call(Rpc.NODE_UNPUBLISH_VOLUME, request.volume(), request.allocationId(), (call, node) -> {
            checkIntent(request);
            if (!request.externalNodeId().equals(Optional.of(node.externalId))) {
                world.coverage().fault("call for a former machine");
            }
            side.detach(call, node, request);
        });
    }

    /** Returns what the node has mounted. */
    public CompletableFuture<LedgerReport> ledger() {
        world.coverage().operation("query node ledger");
        return call(
                Rpc.NODE_GET_INFO,
                new SimCall<>(world, process, Rpc.NODE_GET_INFO, nodeId.value(), "ledger"),
                // A query changes nothing, so a new one does not wait for an earlier one that has no answer in time.
                "",
                (call, node) -> side.ledger(call, node));
    }

    public CompletableFuture<NodeExpansion> expand(NodeExpand request) {
        world.coverage().operation("expand on a node");
        world.coverage().step(RemainingWork.Kind.NODE_EXPAND);
        checkIntent(request);
        return call(
                Rpc.NODE_EXPAND_VOLUME,
                request.volume(),
                request.allocationId(),
                (call, node) -> side.expand(call, node, request));
    }

    /**
     * Queries the plugin for the node's capacity. The future has no value: the node reports the answer to the state
     * separately.
     */
    public CompletableFuture<Void> refreshNodeInfo(PluginId plugin) {
        world.coverage().operation("query node capacity");
        return call(
                Rpc.NODE_GET_INFO,
                new SimCall<>(world, process, Rpc.NODE_GET_INFO, nodeId.value(), plugin.value()),
                "agent of " + nodeId + " for the capacity of " + plugin,
                (call, node) -> call.run(
                        new SimCall.Handler(node.locks(), plugin.toString(), node::agentRestarts, node::restartAgent),
                        () -> requireAnswers(node),
                        () -> {
                            requireAnswers(node);
                            world.capacity().queried(node);
                            return null;
                        }));
    }

    /** Has the plugin answer. The plugins report no name, so the answer has none. */
    public CompletableFuture<GetPluginInfoResponse> pluginInfo(PluginId plugin) {
        return call(
                Rpc.GET_PLUGIN_INFO,
                new SimCall<>(world, process, Rpc.GET_PLUGIN_INFO, nodeId.value(), plugin.value()),
                "",
                (call, node) -> call.run(
                        new SimCall.Handler(node.locks(), plugin.toString(), node::agentRestarts, node::restartAgent),
                        () -> requireAnswers(node),
                        () -> {
                            requireAnswers(node);
                            return new GetPluginInfoResponse("", "", Map.of());
                        }));
    }

    private static void requireAnswers(SimNode node) {
        if (!node.answers()) {
            throw new Refusal(StatusCode.UNAVAILABLE);
        }
    }

    /**
     * Checks that an expansion was requested and that the controller has expanded the volume, before the node expands
     * it (R83).
     */
    private void checkIntent(NodeExpand request) {
        boolean requested = world.stateOf(process)
                .volume(request.volume())
                .flatMap(Volume::expansion)
                .filter(expansion -> expansion.stage() == Expansion.Stage.NODES
                        && expansion.range().equals(request.capacityRange()))
                .isPresent();
        if (!requested) {
            world.reportViolation(
                    "I5: NodeExpandVolume of " + request.volume() + " on " + nodeId + " without a requested change");
        }
        boolean otherCapability = world.stateOf(process)
                .volume(request.volume())
                .flatMap(volume -> volume.claims().get(request.allocationId()))
                .filter(claim -> !claim.capability().equals(request.capability()))
                .isPresent();
        if (otherCapability) {
            world.reportViolation("R83: NodeExpandVolume of " + request.volume() + " on " + nodeId + " for "
                    + request.capability() + ", which is not the claimed capability");
        }
    }

    private interface Work<R> {
        void start(SimCall<R> call, SimNode node);
    }

    private <R> CompletableFuture<R> call(Rpc rpc, VolumeKey volume, AllocationId id, Work<R> work) {
        String subject = volume.volumeId() + " of " + id;
        return call(
                rpc,
                new SimCall<>(world, process, rpc, nodeId.value(), subject),
                "node service on " + nodeId + " for " + volume,
                work);
    }

    /**
     * Makes a call.
     *
     * @param service the name under which only one call may be in flight; empty: no limit
     */
    private <R> CompletableFuture<R> call(Rpc rpc, SimCall<R> call, String service, Work<R> work) {
        if (!process.begins()) {
            return call.answer();
        }
        world.leaders().calls(process, rpc, call.answer());
        if (!service.isEmpty()) {
            calls.track(service, call.answer());
        }
        SimNode node = world.node(nodeId);
        if (node == null || !node.answers()) {
            call.fail(StatusCode.UNAVAILABLE, SimCall.DEADLINE);
        } else {
            work.start(call, node);
        }
        return call.answer();
    }

    /** Checks that the claim was released in the state before its volume is unmounted. */
    private void checkIntent(NodeDetach request) {
        Optional<Claim> claim = world.volume(world.stateOf(process), request.externalVolumeId())
                .flatMap(volume -> volume.claims().get(request.allocationId()));
        if (claim.isEmpty() || claim.get().state() == ClaimState.TAKEN) {
            world.reportViolation("I5: a node step for " + request.allocationId() + " on " + nodeId
                    + " while its claim is " + claim.map(c -> c.state().name()).orElse("missing"));
        }
    }
}
