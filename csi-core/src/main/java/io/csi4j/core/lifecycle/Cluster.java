package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.cluster.StorageLoss;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.AccountName;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.StorageLosses;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.PluginProfileCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Paging;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.StorageCapacity;
import io.csi4j.core.volume.WorkloadOwner;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Takes the host's reports about its cluster. Each report becomes a command with the current time of the engine's
 * {@link io.csi4j.core.spi.Environment}. The {@link io.csi4j.core.spi.EventListener} gets an event for each change.
 * Every server accepts reports, whether it leads or not.
 *
 * <p>A report needs {@link Permission#MANAGEMENT} and may be sent again. Its future completes when the state of this
 * server shows the report, and fails with a {@link RejectedException} if the state rejects it. If the log does not
 * answer, the report may still be applied later: send the report again.
 */
public final class Cluster {
    private final Operations operations;
    private final StorageCapacity capacity;
    private final Caller caller;

    Cluster(Operations operations, StorageCapacity capacity, Caller caller) {
        this.operations = operations;
        this.capacity = capacity;
        this.caller = caller;
    }

    /**
     * Returns the free capacity that plugins have reported to this engine, for {@link
     * io.csi4j.core.placement.FeasibleNodes#withCapacity}. An engine that does not lead knows nothing, and a new leader
     * knows nothing until it has asked. {@link VolumeClasses#capacity} shows it to people.
     *
     * @return the capacity as it is known at each call of its methods, so that it can be kept. It needs the permission
     *     MANAGEMENT
     */
    public CompletableFuture<StorageCapacity> storageCapacity() {
        return operations.starter().run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
            return CompletableFuture.completedFuture(capacity);
        });
    }

    /**
     * Reports that a node answers. The node may be new, or it may have been removed, disconnected, down or fenced before.
     *
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
     * Reports that a node has lost its connection while its workloads may continue. A fenced node does not change.
     *
     * @param reason the cause, for operators; may be empty
     * @return completes when the node is DISCONNECTED
     */
    public CompletableFuture<Void> nodeDisconnected(NodeId nodeId, String reason) {
        return status(nodeId, NodeStatus.DISCONNECTED, reason);
    }

    /**
     * Reports that a node is down. This report is no proof that the node's workloads have stopped. The fencing policy
     * of each volume decides when the engine releases the volume's claims on the node. A fenced node does not change.
     *
     * @param reason the cause, for operators; may be empty
     * @return completes when the node is DOWN
     */
    public CompletableFuture<Void> nodeDown(NodeId nodeId, String reason) {
        return status(nodeId, NodeStatus.DOWN, reason);
    }

    /**
     * Reports that the host has fenced a node: no workload on the node can reach storage any more. The node's allocations end.
     * The report is about the machine whose plugins were reported last. If the host has put another machine under this id
     * since, whose plugins have not been reported yet, the report must hold for both machines.
     *
     * @param reason the way in which the node was fenced, for operators; may be empty
     * @return completes when the node is FENCED and its claims can be released
     */
    public CompletableFuture<Void> nodeFenced(NodeId nodeId, String reason) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(reason, "reason");
        return report(new NodeCommand.FenceNode(nodeId, reason, operations.now()));
    }

    /**
     * Reports that a node was removed permanently. The node's allocations end. A node that the state does not have is ignored.
     * As with {@link #nodeFenced}, the report is about the machine whose plugins were reported last, and must hold for each
     * machine that has had this id since.
     *
     * @param reason the cause, for operators; may be empty
     * @return completes when the node is GONE and its claims can be released
     */
    public CompletableFuture<Void> nodeGone(NodeId nodeId, String reason) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(reason, "reason");
        return report(new NodeCommand.RemoveNode(nodeId, reason, operations.now()));
    }

    /**
     * Reports that the state may be older than the nodes, because the host has restored a backup of it. Call this
     * before {@link VolumeLifecycle#startLeading}. Every node then has to say what it has mounted: the engine asks it
     * through {@link io.csi4j.core.spi.NodeGateway#ledger}, and makes claims of the uses that the state has lost. Until
     * a node has answered, no volume is detached from it, and none is newly claimed on any node. Nodes that were fenced
     * or gone become DOWN: report them again. A {@link io.csi4j.core.spi.ReplicatedLog} does this itself when it was put back.
     *
     * @param reason the reason, for operators; not empty
     * @return completes when all nodes have to report
     */
    public CompletableFuture<Void> stateRestored(String reason) {
        Objects.requireNonNull(reason, "reason");
        return report(() -> new NodeCommand.RequireLedgers(reason, operations.now()));
    }

    /**
     * Reports everything that a node has mounted, and for whom. Each use without a claim becomes a claim of its
     * allocation. The engine asks agents for it; a host without agents uses this method.
     *
     * @param ledger all uses of volumes on the node; empty if nothing is mounted there
     * @return completes when the state has the report
     */
    public CompletableFuture<Void> nodeLedger(NodeId nodeId, LedgerReport ledger) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(ledger, "ledger");
        return report(new NodeCommand.RecordLedger(nodeId, ledger, 0, operations.now()));
    }

    /**
     * Reports all plugin instances of a node. An instance that is missing in the list is removed from the state. Node agents send
     * these reports themselves; hosts without agents use this method.
     *
     * @param instances all instances on the node
     * @return completes when the state has exactly these instances for the node
     */
    public CompletableFuture<Void> nodePlugins(NodeId nodeId, List<PluginInstance> instances) {
        Objects.requireNonNull(nodeId, "nodeId");
        List<PluginInstance> all = List.copyOf(Objects.requireNonNull(instances, "instances"));
        return report(new PluginCommand.FingerprintNode(nodeId, all, operations.now()));
    }

    /**
     * Takes a report of a node's plugins that crossed a transport of the host, and may arrive late or twice. The host has
     * to ensure that each node reports only for itself.
     *
     * @param report all instances on the node
     * @return completes when the state has exactly these instances for the node. Fails with a {@link RejectedException} that has a {@link
     *     io.csi4j.core.command.Rejection.FingerprintOutdated} if a later report was taken before; pass this failure on to the node
     */
    public CompletableFuture<Void> nodePlugins(NodeFingerprint report) {
        Objects.requireNonNull(report, "report");
        return report(new PluginCommand.FingerprintNode(report));
    }

    /**
     * Declares the plugins that a deployment (a job, a daemon set) is meant to run. A further declaration replaces the
     * earlier one. Declare a deployment before its allocations start: with {@link
     * io.csi4j.core.spi.ControllerTrust#declaredDeployments()}, only controllers of declared deployments are called.
     *
     * @return completes when the state has the declaration
     */
    public CompletableFuture<Void> deploymentDeclared(PluginDeployment deployment) {
        Objects.requireNonNull(deployment, "deployment");
        return report(new PluginCommand.UpsertDeployment(deployment, operations.now()));
    }

    /**
     * Reports that a deployment does not run plugins any more. Has no effect if it was not declared.
     *
     * @return completes when the state does not have the declaration any more
     */
    public CompletableFuture<Void> deploymentRemoved(DeploymentId deploymentId) {
        Objects.requireNonNull(deploymentId, "deploymentId");
        return report(new PluginCommand.RemoveDeployment(deploymentId, operations.now()));
    }

    /**
     * Reports that an allocation was placed on a node. The allocation has not started yet, and may claim volumes.
     *
     * @param namespace the namespace of the allocation's workload
     * @param nodeId the node of the allocation; an allocation never moves to another node
     * @return completes when the allocation may claim volumes; fails if the allocation has ended or is known on another
     *     node
     */
    public CompletableFuture<Void> allocationPlaced(AllocationId allocationId, Namespace namespace, NodeId nodeId) {
        return allocation(allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.PENDING);
    }

    /**
     * Reports that an allocation was placed on a node, and under which account its workload runs. The allocation has not
     * started yet, and may claim volumes.
     *
     * @param namespace the namespace of the allocation's workload
     * @param nodeId the node of the allocation; an allocation never moves to another node
     * @param account the account, which never changes. A plugin whose profile asks for workload info gets it as {@code
     *     serviceAccount.name}
     * @return completes when the allocation may claim volumes; fails if the allocation has ended, is known on another node, or
     *     runs under another account
     */
    public CompletableFuture<Void> allocationPlaced(
            AllocationId allocationId, Namespace namespace, NodeId nodeId, AccountName account) {
        Objects.requireNonNull(account, "account");
        return allocation(
                allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.PENDING, Optional.of(account));
    }

    /**
     * Reports that an allocation runs or is about to run. The allocation may claim volumes.
     *
     * @param namespace the namespace of the allocation's workload
     * @param nodeId the node of the allocation; an allocation never moves to another node
     * @return completes when the allocation may claim volumes; fails if the allocation has ended or is known on another
     *     node
     */
    public CompletableFuture<Void> allocationStarted(AllocationId allocationId, Namespace namespace, NodeId nodeId) {
        return allocation(allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.RUNNING);
    }

    /**
     * Reports that an allocation runs or is about to run, and under which account. The allocation may claim volumes.
     *
     * @param namespace the namespace of the allocation's workload
     * @param nodeId the node of the allocation; an allocation never moves to another node
     * @param account the account, which never changes. A plugin whose profile asks for workload info gets it as {@code
     *     serviceAccount.name}
     * @return completes when the allocation may claim volumes; fails if the allocation has ended, is known on another node, or
     *     runs under another account
     */
    public CompletableFuture<Void> allocationStarted(
            AllocationId allocationId, Namespace namespace, NodeId nodeId, AccountName account) {
        Objects.requireNonNull(account, "account");
        return allocation(
                allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.RUNNING, Optional.of(account));
    }

    /**
     * Reports that an allocation of a plugin's deployment runs or is about to run.
     *
     * @param namespace the namespace of the allocation's workload
     * @param nodeId the node of the allocation; an allocation never moves to another node
     * @param deployment the plugin deployment that the allocation belongs to
     * @return completes when the allocation may claim volumes; fails if the allocation has ended or is known on another
     *     node
     */
    public CompletableFuture<Void> allocationStarted(
            AllocationId allocationId, Namespace namespace, NodeId nodeId, DeploymentId deployment) {
        Objects.requireNonNull(deployment, "deployment");
        return allocation(allocationId, namespace, nodeId, Optional.of(deployment), AllocationStatus.RUNNING);
    }

    /**
     * Reports that an allocation is to stop, while its processes may still run. It keeps its claims.
     *
     * @param namespace the namespace of the allocation's workload
     * @param nodeId the node of the allocation
     * @return completes when the state shows it; fails if the allocation has ended or is known on another node
     */
    public CompletableFuture<Void> allocationStopping(AllocationId allocationId, Namespace namespace, NodeId nodeId) {
        return allocation(allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.STOPPING);
    }

    /**
     * Reports that an allocation has ended: all its processes have stopped. The same transaction makes the allocation's
     * claims releasable, and the engine releases them. The state keeps the ended allocation until
     * {@link #allocationForgotten}.
     *
     * @param allocationId the allocation; if this server does not know the allocation, the command is submitted all the
     *     same, because the log may be ahead of this server
     * @return completes when the claims can be released; {@link VolumeClaims#status} shows the progress of the release
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
     * Removes an ended allocation from the state.
     *
     * @return completes when this server's state does not have the allocation any more
     */
    public CompletableFuture<Void> allocationForgotten(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        return report(new AllocationCommand.RemoveAllocation(allocationId, operations.now()));
    }

    /**
     * Reports that a workload has ended, for example that its job was removed. Its volumes are deleted or retained, as the
     * {@linkplain io.csi4j.core.volume.ReclaimPolicy reclaim policy} of each says; a volume in use is, when its last claim
     * is freed. A report about an earlier incarnation than the last one that has ended changes nothing. Claims for an
     * incarnation that has ended are refused with {@link io.csi4j.core.command.NeverReason#OWNER_ENDED}, however late they
     * come.
     *
     * @param workload the workload, in the namespace
     * @return completes when the state of this server shows the report
     */
    public CompletableFuture<Void> ownerEnded(Namespace namespace, WorkloadOwner workload) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(workload, "workload");
        return report(new OwnerCommand.EndOwner(namespace, workload, operations.now()));
    }

    /**
     * Returns what the loss of a node's storage would change now. It changes nothing. Fails with a {@link RejectedException}
     * unless the node is FENCED, GONE or unknown.
     *
     * @throws io.csi4j.core.spi.AccessDeniedException without MANAGEMENT
     */
    public CompletableFuture<StorageLossPreview> previewStorageLoss(StorageLoss loss) {
        Objects.requireNonNull(loss, "loss");
        return operations.starter().run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
            StateReader state = operations.state();
            StorageLosses.refusal(state, loss).ifPresent(reason -> {
                throw new RejectedException(reason);
            });
            List<VolumeKey> ending = new ArrayList<>();
            Map<VolumeKey, String> kept = new TreeMap<>();
            StorageLosses.decide(state, loss)
                    .forEach((key, why) -> why.ifPresentOrElse(text -> kept.put(key, text), () -> ending.add(key)));
            return CompletableFuture.completedFuture(new StorageLossPreview(loss, state.index(), ending, kept));
        });
    }

    /**
     * Reports that the storage of a node is gone, for example its local disks. The rows of volumes that only this node could
     * reach are removed, without a call to the plugin: of those that are being deleted, those that belong to an allocation,
     * and those that the report names. A volume that another node can reach stays, whatever the status of that node is. The
     * event {@link io.csi4j.core.spi.VolumeEvent.Change#STORAGE_LOST} names each volume. Fails with a
     * {@link RejectedException} unless the node is FENCED, GONE or unknown.
     *
     * @param reason the cause, for operators; not empty
     * @return completes when the state of this server shows the report
     */
    public CompletableFuture<Void> nodeStorageLost(StorageLoss loss, String reason) {
        Objects.requireNonNull(loss, "loss");
        Objects.requireNonNull(reason, "reason");
        return report(() -> new NodeCommand.LoseStorage(loss, reason, operations.now()));
    }

    /**
     * Adds the profile of a plugin, or replaces all values of its profile. The plugin need not be known. Volumes that exist
     * and mounts that were requested keep the requests that they have.
     *
     * @param ifModifyIndex the profile is put only if it was last changed at this index; 0 for no such check
     * @return completes when the state of this server has the profile. Fails with a {@link CsiRequestException} that names
     *     all problems of the profile, and with a {@link RejectedException} with {@link
     *     io.csi4j.core.command.Rejection.PluginProfileChanged} if another change was faster. If the log does not answer,
     *     the profile may have been put: read it before you put it again
     */
    public CompletableFuture<Void> putPluginProfile(PluginProfile profile, long ifModifyIndex) {
        Objects.requireNonNull(profile, "profile");
        return report(() -> {
            List<Problem> problems = profile.problems();
            if (!problems.isEmpty()) {
                throw new CsiRequestException("profile of plugin " + profile.pluginId(), problems);
            }
            return new PluginProfileCommand.PutPluginProfile(profile, ifModifyIndex, operations.now());
        });
    }

    /**
     * Removes the profile of a plugin, so that it gets the requests of CSI only.
     *
     * @return completes when the state of this server has the change; fails with a {@link CsiRequestException} if the
     *     state of this server does not have the profile
     */
    public CompletableFuture<Void> removePluginProfile(PluginId pluginId) {
        Objects.requireNonNull(pluginId, "pluginId");
        return report(() -> new PluginProfileCommand.RemovePluginProfile(
                pluginId,
                operations
                        .state()
                        .pluginProfile(pluginId)
                        .orElseThrow(() -> withoutProfile(pluginId))
                        .createIndex(),
                operations.now()));
    }

    private static CsiRequestException withoutProfile(PluginId pluginId) {
        return new CsiRequestException(
                "profile of plugin " + pluginId,
                List.of(new Problem(
                        "pluginId", "is " + pluginId + ", and this plugin has no profile", "list the profiles")));
    }

    /**
     * Returns the profile of a plugin; empty if it has none. It needs the permission PLUGIN_READ.
     *
     * @return the profile of the state of this server
     */
    public CompletableFuture<Optional<PluginProfile>> pluginProfile(PluginId pluginId) {
        Objects.requireNonNull(pluginId, "pluginId");
        return operations.starter().run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
            return CompletableFuture.completedFuture(operations.state().pluginProfile(pluginId));
        });
    }

    /**
     * Returns a page of the profiles of plugins, in the order of their ids. It needs the permission PLUGIN_READ.
     *
     * @param after the page begins after this plugin, whether or not it has a profile; empty to begin with the first
     * @param limit the maximum number of profiles on the page, 1 or more
     * @return the page, with the plugin after which the next one begins
     */
    public CompletableFuture<ListPage<PluginProfile, PluginId>> pluginProfiles(Optional<PluginId> after, int limit) {
        Objects.requireNonNull(after, "after");
        PageLimit.checked("Cluster.pluginProfiles", limit);
        return operations.starter().run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
            return CompletableFuture.completedFuture(Paging.page(
                    operations.state().pluginProfiles(),
                    limit,
                    PluginProfile::pluginId,
                    row -> after.filter(last -> row.pluginId().compareTo(last) <= 0)
                                    .isEmpty()
                            ? Optional.of(row)
                            : Optional.empty()));
        });
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
        return allocation(allocationId, namespace, nodeId, deployment, status, Optional.empty());
    }

    private CompletableFuture<Void> allocation(
            AllocationId allocationId,
            Namespace namespace,
            NodeId nodeId,
            Optional<DeploymentId> deployment,
            AllocationStatus status,
            Optional<AccountName> account) {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(nodeId, "nodeId");
        return report(new AllocationCommand.UpsertAllocation(
                allocationId, namespace, nodeId, deployment, status, account, operations.now()));
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
        return operations.starter().run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
            return operations.submit(command.get()).thenApply(accepted -> null);
        });
    }
}
