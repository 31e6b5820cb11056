package io.csi4j.agent;

import io.csi4j.agent.internal.node.NodeRuntime;
import io.csi4j.agent.internal.node.ReleaseReports;
import io.csi4j.agent.internal.node.RemoteClaims;
import io.csi4j.agent.internal.node.ServerLink;
import io.csi4j.agent.internal.wire.WireChannels;
import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.agent.internal.wire.WireServer;
import io.csi4j.agent.spi.ServerContact;
import io.csi4j.client.registry.Fingerprinter;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.client.registry.Registered;
import io.csi4j.client.registry.TaskSetup;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.Teardown;
import io.csi4j.node.VolumeMounter;
import io.csi4j.node.WorkloadStatus;
import io.csi4j.node.WorkloadVolumes;
import io.csi4j.node.transport.RemoteFailureException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The agent of a node: finds and supervises plugins, mounts and unmounts volumes for workloads, and exchanges calls
 * with the servers. Thread-safe. Two running processes must not use the same directory.
 *
 * <p>The agent accepts calls only from its servers, and changes files only below its directory. After a crash it resumes unfinished work at
 * the next start.
 */
public final class NodeAgent implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(NodeAgent.class.getName());

    /** The time limit for the last report to the servers. */
    private static final Duration GOODBYE = Duration.ofSeconds(2);

    private final NodeId nodeId;
    private final NodeRuntime node;
    private final WorkloadVolumes workloads;
    private final ServerConnections connections;
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicBoolean ending = new AtomicBoolean();

    /** The connections to the servers, the socket on which servers call the agent, and the requests to the servers. */
    record ServerConnections(
            WireContext wire,
            WireChannels channels,
            ServerLink link,
            WireServer server,
            Fingerprinter fingerprinter,
            RemoteClaims claims,
            ReleaseReports reports) {}

    NodeAgent(NodeId nodeId, NodeRuntime node, WorkloadVolumes workloads, ServerConnections connections) {
        this.nodeId = nodeId;
        this.node = node;
        this.workloads = workloads;
        this.connections = connections;
    }

    /**
     * Returns a builder; the servers and an address to listen on have to be set.
     *
     * @param nodeId the node
     * @param directory the directory of sockets, ledger, stagings and targets, created if missing; absolute, and at most 73 bytes long,
     *     because the addresses of sockets are limited. Pass the same directory after a restart
     */
    public static NodeAgentBuilder builder(NodeId nodeId, Path directory) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(directory, "directory");
        return new NodeAgentBuilder(nodeId, directory);
    }

    public NodeId nodeId() {
        return nodeId;
    }

    /**
     * Returns a future that completes when the agent has read the ledger of an earlier process and resumes its work; fails with a {@link
     * io.csi4j.node.NodeVolumeException} if the ledger cannot be read.
     */
    public CompletableFuture<@Nullable Void> ready() {
        return node.volumes().ready().copy();
    }

    /**
     * Creates the directories of a plugin's task. Call it before each start; see {@link io.csi4j.client.registry.PluginSupervisor#prepare}. Blocks briefly on the disk.
     *
     * @return the steps for the host before it starts the task; a task with its own file system sees the agent's stagings and targets below
     *     its {@code stagePublishBaseDir}, but not the ledger
     * @throws io.csi4j.client.registry.PluginStoreException if a directory or record cannot be created
     * @throws IllegalArgumentException if the path of the socket inside the task is too long
     */
    public TaskSetup preparePlugin(PluginTask task) {
        Objects.requireNonNull(task, "task");
        return node.taskDirectories().prepare(task);
    }

    /**
     * Registers and supervises a plugin's task that was started, or that still runs after a restart of the agent.
     *
     * @return completes when the registration is stored
     * @throws IllegalStateException if the agent is closed
     */
    public CompletableFuture<Registered> pluginStarted(PluginTask task) {
        Objects.requireNonNull(task, "task");
        return node.supervisor().taskStarted(task);
    }

    /**
     * Checks whether a running plugin task may be stopped permanently. Volumes of this node may need the plugin for their unmount.
     *
     * @throws io.csi4j.client.registry.PluginInUseException if volumes need it, no other instance of the plugin is ready, and {@link
     *     NodeAgentBuilder#stopPolicy} is to refuse; otherwise a warning in the log names the volumes
     */
    public void pluginStopping(InstanceKey key) {
        Objects.requireNonNull(key, "key");
        node.supervisor().taskStopping(key);
    }

    /**
     * Removes a plugin's task that has ended permanently. A warning in the log names the volumes that still need the
     * plugin.
     *
     * @return whether the task was registered; completes when the removal is done
     */
    public CompletableFuture<Boolean> pluginStopped(InstanceKey key) {
        Objects.requireNonNull(key, "key");
        return node.supervisor().taskStopped(key);
    }

    /** Returns the registry of the node's plugins; the agent closes it. */
    public PluginRegistry plugins() {
        return node.registry();
    }

    /**
     * Returns the mounter of the node's volumes: {@link io.csi4j.node.NodeVolumes}, or the one from {@link NodeAgentBuilder#volumeMounter}.
     * The agent starts and stops it.
     */
    public VolumeMounter volumes() {
        return node.volumes();
    }

    /**
     * Claims all volumes of a workload at the servers, waits for them, and mounts them; see {@link
     * WorkloadVolumes#prepare}. After a teardown, an allocation cannot be prepared again; the host needs a new
     * allocation to start the workload again.
     *
     * @param allocationId the workload, which the host has reported to the servers as placed on this node
     * @param requests at least one, and one for each mount; see {@link WorkloadVolumes#prepare}
     * @return the mounted volumes, one for each request and in the order of the requests. Cancelling the future ends the waiting, withdraws waiting claims, and
     *     undoes the mounts. If the servers refuse the claims, the future fails with the same exceptions as {@link
     *     io.csi4j.core.lifecycle.VolumeClaims#claim}. It fails with a {@link RemoteFailureException} if the version of the servers does
     *     not send exceptions as data, or if the agent is closed. If a server is not the leader, the agent calls the other servers
     * @throws IllegalArgumentException if there is no request
     */
    public CompletableFuture<List<MountedVolume>> prepare(AllocationId allocationId, List<ClaimRequest> requests) {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(requests, "requests");
        List<ClaimRequest> checked = ClaimRequest.checked(allocationId, requests);
        CompletableFuture<Void> quiet = connections.reports().forget(allocationId);
        return quiet.isDone()
                ? workloads.prepare(allocationId, checked)
                : Futures.after(quiet, () -> workloads.prepare(allocationId, checked));
    }

    /**
     * Unmounts all volumes of an ended workload, and reports the unmounted volumes to the servers; see {@link WorkloadVolumes#teardown}.
     *
     * @param allocationId the workload; its processes must have stopped
     * @param limit the longest time to wait
     * @return which volumes are unmounted, and which were not unmounted within the limit; the work on the latter continues. Fails only if
     *     the mounts are not known, as {@link WorkloadVolumes#teardown} does
     */
    public CompletableFuture<Teardown> teardown(AllocationId allocationId, Duration limit) {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(limit, "limit");
        return workloads.teardown(allocationId, limit).thenApply(torn -> {
            torn.unmounted().forEach(volume -> connections.reports().add(volume, allocationId));
            return torn;
        });
    }

    /**
     * Returns the servers in the order of {@link NodeAgentBuilder#servers}, each with the result of the agent's last call
     * to it: whether it answered, could not be reached, or refused the agent, and why.
     */
    public List<ServerContact> servers() {
        return connections.link().contacts();
    }

    /**
     * Returns the progress of a workload's volumes; empty if they were not prepared since this process started, or were unmounted again.
     */
    public Optional<WorkloadStatus> status(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        return workloads.status(allocationId);
    }

    /**
     * Closes the agent; plugins and mounts remain as they are. In the background, the agent tries for two seconds to report to the servers
     * that the plugins are no longer supervised. This method does not wait for that, so that it never delays the end of the host. Further
     * calls have no effect.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        connections.server().close();
        connections.claims().close();
        connections.reports().close();
        // The host's timer ends the agent after the time limit. If the host has stopped the timer, a network thread
        // ends the agent after twice the time limit.
        connections.wire().threads().after(GOODBYE.multipliedBy(2), this::end);
        try {
            Cancellable limit = connections.wire().timer().schedule(GOODBYE, this::end);
            var unused = connections
                    .fingerprinter()
                    .reportShutdown("the agent of node " + nodeId + " is stopping")
                    .whenComplete((reported, failure) -> {
                        limit.cancel();
                        end();
                    });
        } catch (RejectedExecutionException stopped) {
            // Stops without a last report, because the host has ended its threads already.
            end();
        }
    }

    private void end() {
        if (!ending.compareAndSet(false, true)) {
            return;
        }
        CompletableFuture<?> written = CompletableFuture.completedFuture(null);
        try {
            connections.fingerprinter().close();
            written = node.close();
        } catch (RejectedExecutionException stopped) {
            // The host has ended its threads, so no write is in progress. The ledger contains the unfinished work for
            // the next start.
            written = CompletableFuture.completedFuture(null);
        } finally {
            connections.wire().closing();
            connections.channels().close();
            connections.wire().close();
        }
        var unused = CompletableFuture.allOf(
                        written, connections.wire().threads().ended())
                .whenComplete((nothing, failure) -> {
                    LOG.log(Level.INFO, () -> "The agent of node " + nodeId + " has stopped");
                    Futures.complete(closed, null, failure);
                });
    }

    /**
     * Returns a future that completes after {@link #close()}, as soon as another agent can use the directory and the socket; exceptionally
     * if the ledger could not be closed.
     */
    public CompletableFuture<@Nullable Void> closed() {
        return closed.copy();
    }

    @Override
    public String toString() {
        return "NodeAgent[" + nodeId + "]";
    }
}
