package io.csi4j.agent;

import io.csi4j.agent.internal.node.RunningAgent;
import io.csi4j.agent.internal.wire.CancellableFutures;
import io.csi4j.agent.spi.RemoteFailureException;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.Teardown;
import io.csi4j.node.VolumeMounter;
import io.csi4j.node.WorkloadStatus;
import io.csi4j.node.WorkloadVolumes;
import io.csi4j.registry.PluginRegistry;
import io.csi4j.registry.PluginTask;
import io.csi4j.registry.Registered;
import io.csi4j.registry.TaskSetup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The agent of a node: finds and watches plugins, mounts and unmounts volumes for workloads, and exchanges calls with the
 * servers. Safe for use by many threads. One process may use a directory at a time.
 *
 * <p>The agent accepts calls of its servers only, and changes files below its directory only. After a crash it resumes
 * unfinished work at the next start.
 */
public final class NodeAgent implements AutoCloseable {
    private final RunningAgent parts;

    NodeAgent(RunningAgent parts) {
        this.parts = parts;
    }

    /**
     * A builder; servers and a place to listen have to be set.
     *
     * @param nodeId the node
     * @param directory where all files are: sockets, ledger, stagings and targets. Made if missing; absolute, and at
     *     most 73 bytes long, because the addresses of sockets have little room. The same after a restart
     * @return a new builder
     */
    public static NodeAgentBuilder builder(NodeId nodeId, Path directory) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(directory, "directory");
        return new NodeAgentBuilder(nodeId, directory);
    }

    /**
     * The node.
     *
     * @return its id
     */
    public NodeId nodeId() {
        return parts.nodeId();
    }

    /**
     * When what an earlier process left has been read.
     *
     * @return completes when work on it has begun; fails with a {@link io.csi4j.node.NodeVolumeException} if the ledger
     *     cannot be read
     */
    public CompletableFuture<@Nullable Void> ready() {
        return parts.ready().copy();
    }

    /**
     * Makes the directories of a plugin's task. To be called before each start; see {@link
     * io.csi4j.registry.PluginSupervisor#prepare}. Blocks on the disk, briefly.
     *
     * @param task the task
     * @return what the host has to do before it starts the task; one with a file system of its own gets the agent's
     *     stagings and targets below its {@code stagePublishBaseDir}, and not the ledger
     * @throws io.csi4j.registry.PluginStoreException if a directory or record cannot be made
     * @throws IllegalArgumentException if the path of the socket in the task is too long
     */
    public TaskSetup preparePlugin(PluginTask task) {
        Objects.requireNonNull(task, "task");
        return parts.tasks().prepare(task);
    }

    /**
     * Registers and watches a plugin's task that was started, or that still runs after a restart of the agent.
     *
     * @param task the task
     * @return when the registration is stored
     * @throws IllegalStateException if the agent is closed
     */
    public CompletableFuture<Registered> pluginStarted(PluginTask task) {
        Objects.requireNonNull(task, "task");
        return parts.tasks().started(task);
    }

    /**
     * To be asked before a plugin's task is stopped for good, while it still runs: volumes of this node may need it to
     * be unmounted.
     *
     * @param key which instance
     * @throws io.csi4j.registry.PluginInUseException if they do, no other instance of the plugin is ready, and {@link
     *     NodeAgentBuilder#stopPolicy} says to refuse; otherwise they are named in a warning in the log
     */
    public void pluginStopping(InstanceKey key) {
        Objects.requireNonNull(key, "key");
        parts.tasks().stopping(key);
    }

    /**
     * Forgets a plugin's task that has ended for good. Volumes that need it are named in a warning in the log.
     *
     * @param key which instance
     * @return whether it was registered, when that is done
     */
    public CompletableFuture<Boolean> pluginStopped(InstanceKey key) {
        Objects.requireNonNull(key, "key");
        return parts.tasks().stopped(key);
    }

    /**
     * The plugins of the node.
     *
     * @return the registry; the agent closes it
     */
    public PluginRegistry plugins() {
        return parts.registry();
    }

    /**
     * The volumes of the node.
     *
     * @return {@link io.csi4j.node.NodeVolumes}, or what {@link NodeAgentBuilder#volumeMounter} has set; the agent starts
     *     and stops it
     */
    public VolumeMounter volumes() {
        return parts.volumes();
    }

    /**
     * Claims all volumes of a workload at the servers, waits for them, and mounts them; see {@link
     * WorkloadVolumes#prepare}. An allocation whose volumes were torn down is not prepared again: the next try of a
     * workload is another allocation.
     *
     * @param allocationId the workload, which the servers know as placed on this node
     * @param requests what it needs: at least one volume, none twice
     * @return where each volume is, in the order of the requests. Cancelling it ends the waiting at any moment, takes
     *     claims back that wait, and undoes what was mounted. Fails as {@link
     *     io.csi4j.core.lifecycle.VolumeClaims#claim} does if the servers refuse it, with the same exceptions; with a
     *     {@link RemoteFailureException} if they are of a version that does not send them as data, or if the agent is
     *     closed. A server that does not lead is no failure: the agent asks the others
     * @throws IllegalArgumentException if no volume is named, or one twice
     */
    public CompletableFuture<List<MountedVolume>> prepare(AllocationId allocationId, List<ClaimRequest> requests) {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(requests, "requests");
        List<ClaimRequest> checked = ClaimRequest.checked(allocationId, requests);
        CompletableFuture<Void> quiet = parts.reports().forget(allocationId);
        return quiet.isDone()
                ? parts.workloads().prepare(allocationId, checked)
                : CancellableFutures.after(quiet, () -> parts.workloads().prepare(allocationId, checked));
    }

    /**
     * Takes all volumes from a workload that has ended, and tells the servers of those that are unmounted; see {@link
     * WorkloadVolumes#teardown}.
     *
     * @param allocationId the workload; nothing of it may run any more
     * @param limit how long to wait
     * @return which volumes are unmounted when the limit is over, and which are not; work on those goes on.
     *     Fails only where it is not known what is mounted, as that of {@link WorkloadVolumes#teardown}
     */
    public CompletableFuture<Teardown> teardown(AllocationId allocationId, Duration limit) {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(limit, "limit");
        return parts.workloads().teardown(allocationId, limit).thenApply(torn -> {
            torn.unmounted().forEach(volume -> parts.reports().add(volume, allocationId));
            return torn;
        });
    }

    /**
     * How far the volumes of a workload are, and what is waited for.
     *
     * @param allocationId the workload
     * @return empty if it was not prepared here since the start of this process, or has been torn down
     */
    public Optional<WorkloadStatus> status(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        return parts.workloads().status(allocationId);
    }

    /**
     * Ends the agent and leaves plugins and mounts as they are. Tells the servers that the plugins are out of its
     * hands, if that works out within two seconds. Does not wait for any of it, so that it never keeps the host from
     * stopping. Does nothing the second time.
     */
    @Override
    public void close() {
        parts.close();
    }

    /**
     * When it has ended: nothing is written any more, and another agent can use the directory and the socket.
     *
     * @return completes some time after {@link #close()}; exceptionally if the ledger could not be closed
     */
    public CompletableFuture<@Nullable Void> closed() {
        return parts.closed().copy();
    }

    @Override
    public String toString() {
        return "NodeAgent[" + nodeId() + "]";
    }
}
