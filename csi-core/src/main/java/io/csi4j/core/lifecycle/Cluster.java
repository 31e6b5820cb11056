package io.csi4j.core.lifecycle;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.AllocationCommand;
import io.csi4j.core.command.Batch;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.NodeCommand;
import io.csi4j.core.command.PluginCommand;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Reports of the host about its cluster. Each becomes a command with the time of the engine's {@link
 * io.csi4j.core.spi.Environment}, on every server, leading or not, and the {@link io.csi4j.core.spi.EventListener} hears of
 * it. Hosts that put several reports into one transaction submit a {@link Batch} to {@link VolumeLifecycle#log()}.
 *
 * <p>A report needs {@link Permission#MANAGEMENT}, may be repeated, and completes when the state of this server shows it. It
 * fails with a {@link RejectedException} if the state refuses it. If the log does not answer, the report may still be
 * applied: repeat it.
 */
public final class Cluster {
    private final Operations operations;
    private final Caller caller;

    Cluster(Operations operations, Caller caller) {
        this.operations = operations;
        this.caller = caller;
    }

    /**
     * A node answers: a new one, one that was removed, or one that was disconnected, down or fenced.
     *
     * @param nodeId the node
     * @return completes when the node is READY
     */
    public CompletableFuture<Void> nodeReady(NodeId nodeId) {
        Objects.requireNonNull(nodeId, "nodeId");
        Instant now = operations.now();
        return report(new Batch(
                List.of(
                        new NodeCommand.UpsertNode(nodeId, now),
                        new NodeCommand.SetNodeStatus(nodeId, NodeStatus.READY, "", now)),
                now));
    }

    /**
     * A node is not heard of, and its workloads may continue. Changes nothing for a fenced node.
     *
     * @param nodeId the node
     * @param reason why, for an operator; possibly empty
     * @return completes when the node is DISCONNECTED
     */
    public CompletableFuture<Void> nodeDisconnected(NodeId nodeId, String reason) {
        return status(nodeId, NodeStatus.DISCONNECTED, reason);
    }

    /**
     * A node is down as far as the host knows. This is no proof that its workloads have stopped: the fencing policy of each
     * volume decides when its claims there are released. Changes nothing for a fenced node.
     *
     * @param nodeId the node
     * @param reason why, for an operator; possibly empty
     * @return completes when the node is DOWN
     */
    public CompletableFuture<Void> nodeDown(NodeId nodeId, String reason) {
        return status(nodeId, NodeStatus.DOWN, reason);
    }

    /**
     * The host made sure that nothing on a node can reach storage. Its allocations have ended.
     *
     * @param nodeId the node
     * @param reason how, for an operator; possibly empty
     * @return completes when the node is FENCED, and its claims are releasable
     */
    public CompletableFuture<Void> nodeFenced(NodeId nodeId, String reason) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(reason, "reason");
        return report(new NodeCommand.FenceNode(nodeId, reason, operations.now()));
    }

    /**
     * A node was removed permanently. Its allocations have ended. Changes nothing for a node that the state does not know.
     *
     * @param nodeId the node
     * @param reason why, for an operator; possibly empty
     * @return completes when the node is GONE, and its claims are releasable
     */
    public CompletableFuture<Void> nodeGone(NodeId nodeId, String reason) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(reason, "reason");
        return report(new NodeCommand.RemoveNode(nodeId, reason, operations.now()));
    }

    /**
     * The plugin instances of a node, all of them: an instance that is not named was removed. Node agents report them
     * themselves; this is for hosts that have no agent.
     *
     * @param nodeId the node
     * @param instances all instances on the node
     * @return completes when the state shows exactly these instances
     */
    public CompletableFuture<Void> nodePlugins(NodeId nodeId, List<PluginInstance> instances) {
        Objects.requireNonNull(nodeId, "nodeId");
        List<PluginInstance> all = List.copyOf(Objects.requireNonNull(instances, "instances"));
        return report(new PluginCommand.FingerprintNode(nodeId, all, operations.now()));
    }

    /**
     * An allocation was placed on a node and may claim volumes. It has not started yet.
     *
     * @param allocationId the allocation
     * @param namespace the namespace of its workload
     * @param nodeId where it is placed; an allocation never moves
     * @return completes when the allocation may claim; fails if it has ended, or is known on another node
     */
    public CompletableFuture<Void> allocationPlaced(AllocationId allocationId, Namespace namespace, NodeId nodeId) {
        return allocation(allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.PENDING);
    }

    /**
     * An allocation runs, or is about to, and may claim volumes.
     *
     * @param allocationId the allocation
     * @param namespace the namespace of its workload
     * @param nodeId where it runs; an allocation never moves
     * @return completes when the allocation may claim; fails if it has ended, or is known on another node
     */
    public CompletableFuture<Void> allocationStarted(AllocationId allocationId, Namespace namespace, NodeId nodeId) {
        return allocation(allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.RUNNING);
    }

    /**
     * An allocation of a plugin's deployment runs, or is about to.
     *
     * @param allocationId the allocation
     * @param namespace the namespace of its workload
     * @param nodeId where it runs; an allocation never moves
     * @param deployment what it belongs to
     * @return completes when the allocation may claim; fails if it has ended, or is known on another node
     */
    public CompletableFuture<Void> allocationStarted(
            AllocationId allocationId, Namespace namespace, NodeId nodeId, DeploymentId deployment) {
        Objects.requireNonNull(deployment, "deployment");
        return allocation(allocationId, namespace, nodeId, Optional.of(deployment), AllocationStatus.RUNNING);
    }

    /**
     * An allocation has ended: nothing of it runs any more. Its claims become releasable in the same transaction, and the
     * engine releases them. The state keeps the ended allocation until {@link #allocationForgotten}.
     *
     * @param allocationId the allocation; one that this server does not know is forgotten, because the log may know it
     * @return completes when the claims are releasable; the release itself follows, see {@link VolumeClaims#status}
     */
    public CompletableFuture<Void> allocationEnded(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        return report(() -> operations
                .state()
                .allocation(allocationId)
                .<Command>map(this::ended)
                .orElseGet(() -> new AllocationCommand.RemoveAllocation(allocationId, operations.now())));
    }

    /**
     * The host forgets an allocation, which has ended.
     *
     * @param allocationId the allocation
     * @return completes when the state does not know it any more
     */
    public CompletableFuture<Void> allocationForgotten(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        return report(new AllocationCommand.RemoveAllocation(allocationId, operations.now()));
    }

    private AllocationCommand.UpsertAllocation ended(Allocation known) {
        return new AllocationCommand.UpsertAllocation(
                known.id(),
                known.namespace(),
                known.nodeId(),
                known.deployment(),
                AllocationStatus.ENDED,
                operations.now());
    }

    private CompletableFuture<Void> allocation(
            AllocationId allocationId,
            Namespace namespace,
            NodeId nodeId,
            Optional<DeploymentId> deployment,
            AllocationStatus status) {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(nodeId, "nodeId");
        return report(new AllocationCommand.UpsertAllocation(
                allocationId, namespace, nodeId, deployment, status, operations.now()));
    }

    private CompletableFuture<Void> status(NodeId nodeId, NodeStatus status, String reason) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(reason, "reason");
        return report(new NodeCommand.SetNodeStatus(nodeId, status, reason, operations.now()));
    }

    private CompletableFuture<Void> report(Command command) {
        return report(() -> command);
    }

    private CompletableFuture<Void> report(Supplier<Command> command) {
        return operations.run(() -> {
            operations.allow(caller, Access.of(Permission.MANAGEMENT));
            return operations.submit(command.get()).thenApply(accepted -> null);
        });
    }
}
