package io.csi4j.testkit.cluster;

import io.csi4j.client.CsiClient;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.capability.FakeCapability;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A node of a {@link FakeCluster}: a machine with fake plugins and an agent that mounts. Thread-safe. */
public final class FakeNode implements AutoCloseable {
    private final FakeCluster cluster;
    private final NodeId id;
    private final Map<PluginId, NodePlugin> plugins;
    /** The allocations for which each volume is staged or published. */
    private final Map<VolumeKey, Map<AllocationId, VolumeUse>> users = new HashMap<>();
    /** The last call for each volume; the agent makes one call for a volume at a time. */
    private final Map<VolumeKey, CompletableFuture<?>> lastCalls = new HashMap<>();

    private final List<OwnershipChange> ownershipChanges = new ArrayList<>();
    private boolean powered = true;
    private boolean connected = true;
    private boolean removed;

    FakeNode(FakeCluster cluster, NodeId id, Map<PluginId, NodePlugin> plugins) {
        this.cluster = cluster;
        this.id = id;
        this.plugins = plugins;
    }

    /** Returns the id of the node. */
    public NodeId id() {
        return id;
    }

    /**
     * Returns the instance of {@link FakeCluster#plugin()} on this node. A test can set faults at it and read the history of
     * its calls. On virtual time, set only faults that do not wait: error codes, lost answers, dropped connections.
     */
    public FakeCsiPlugin plugin() {
        return plugin(cluster.plugin());
    }

    /**
     * Returns the instance of a plugin on this node, as {@link #plugin()} does.
     *
     * @throws IllegalArgumentException if the cluster has no such plugin
     */
    public FakeCsiPlugin plugin(PluginId pluginId) {
        NodePlugin instance = plugins.get(pluginId);
        if (instance == null) {
            throw new IllegalArgumentException("the cluster has no plugin " + pluginId + "; its plugins are "
                    + plugins.keySet() + ", which FakeClusterBuilder.plugin sets");
        }
        return instance.plugin();
    }

    CsiClient client(PluginId pluginId) {
        return Objects.requireNonNull(plugins.get(pluginId), () -> "no plugin " + pluginId)
                .client();
    }

    /** Returns whether servers reach the node. */
    public synchronized boolean answers() {
        return powered && connected && !removed;
    }

    synchronized boolean powered() {
        return powered;
    }

    /** Returns the allocations for which a volume is mounted on this node, in order. */
    public synchronized Set<AllocationId> usersOf(VolumeKey volume) {
        return new TreeSet<>(users.getOrDefault(volume, Map.of()).keySet());
    }

    /**
     * The node loses power: its workloads and mounts are gone. The servers learn that the node is down, which does not
     * prove that its workloads have ended: the fencing policy of each volume decides when its claims are released.
     */
    public void crash() {
        losePower();
        report(new NodeCommand.SetNodeStatus(id, NodeStatus.DOWN, "crashed", cluster.now()));
    }

    /** The node loses its connection; its workloads and mounts stay. The servers learn that it is disconnected. */
    public void disconnect() {
        synchronized (this) {
            connected = false;
        }
        report(new NodeCommand.SetNodeStatus(id, NodeStatus.DISCONNECTED, "disconnected", cluster.now()));
    }

    /** The node is cut off from its storage, and its workloads end. The servers learn that the node is fenced. */
    public void fence() {
        losePower();
        report(new NodeCommand.FenceNode(id, "fenced", cluster.now()));
    }

    /** The node is removed from the cluster permanently. The servers learn that it is removed. */
    public void remove() {
        losePower();
        synchronized (this) {
            removed = true;
        }
        report(new NodeCommand.RemoveNode(id, "removed", cluster.now()));
    }

    /** The node answers again, after a crash or a disconnection. It reports its plugins and the allocations that have ended. */
    public void comeBack() {
        synchronized (this) {
            powered = true;
            connected = true;
            removed = false;
        }
        report(new NodeCommand.UpsertNode(id, cluster.now()));
        cluster.reportEnded(this);
        report(new NodeCommand.SetNodeStatus(id, NodeStatus.READY, "", cluster.now()));
        reportPlugins();
    }

    private void losePower() {
        synchronized (this) {
            powered = false;
            users.clear();
            lastCalls.clear();
        }
        cluster.nodeLostPower(this);
        plugins.values().forEach(NodePlugin::losePower);
    }

    private void report(NodeCommand command) {
        cluster.report(command);
    }

    /** Reports the plugins of the node to the servers, as its agent does. */
    void reportPlugins() {
        List<PluginInstance> instances =
                plugins.values().stream().map(NodePlugin::report).toList();
        cluster.report(new PluginCommand.FingerprintNode(id, instances, cluster.now()));
    }

    private String stagingPath(VolumeKey volume) {
        return "/fake/" + id + "/staging/" + volume.namespace() + "/" + volume.volumeId();
    }

    /** Returns the path at which a volume is mounted for an allocation. */
    public String targetPath(VolumeKey volume, AllocationId allocationId) {
        return "/fake/" + id + "/publish/" + allocationId + "/" + volume.namespace() + "/" + volume.volumeId();
    }

    /** Starts the calls of an operation when the earlier calls for the same volume have ended. */
    private synchronized <R> CompletableFuture<R> inOrder(VolumeKey volume, Supplier<CompletableFuture<R>> calls) {
        CompletableFuture<?> last = lastCalls.getOrDefault(volume, CompletableFuture.completedFuture(null));
        CompletableFuture<Boolean> ended = last.handle((result, failure) -> true);
        CompletableFuture<R> next = ended.thenCompose(done -> calls.get());
        lastCalls.put(volume, next);
        return next;
    }

    /**
     * Mounts the volumes of a grant, as an agent does: NodeStageVolume if the allocation is the first user of the volume on this node, and then
     * NodePublishVolume. If the plugin does not have VOLUME_MOUNT_GROUP, the node then gives the files to the group of the grant.
     *
     * @param grant a grant for an allocation of this node
     * @return a future that completes when all volumes are mounted, or fails with the first failure of the plugin
     */
    public CompletableFuture<Void> mount(ClaimGrant grant) {
        return CompletableFuture.allOf(grant.volumes().stream().map(this::mount).toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> mount(VolumeGrant grant) {
        VolumeKey volume = grant.view().volume().key();
        return inOrder(volume, () -> {
            if (!powered()) {
                return CompletableFuture.failedFuture(new CsiException("node " + id + " has no power"));
            }
            boolean staged = !usersOf(volume).isEmpty();
            CompletableFuture<Void> staging = staged ? CompletableFuture.completedFuture(null) : stage(grant);
            return staging.thenCompose(nothing -> publish(grant)).thenRun(() -> {
                changeOwnership(grant);
                addUser(grant);
            });
        });
    }

    private synchronized void addUser(VolumeGrant grant) {
        if (powered) {
            Volume volume = grant.view().volume();
            VolumeUse use = new VolumeUse(
                    volume.key(),
                    volume.pluginId(),
                    volume.remoteId(),
                    grant.claim().allocationId(),
                    grant.claim().mode(),
                    grant.claim().capability(),
                    false);
            users.computeIfAbsent(volume.key(), key -> new TreeMap<>()).put(use.allocationId(), use);
        }
    }

    /** Returns what is mounted on this node, and for whom. */
    synchronized LedgerReport ledger() {
        return new LedgerReport(
                users.values().stream().flatMap(uses -> uses.values().stream()).toList(), List.of());
    }

    /** Returns the uses of a volume on this node. */
    synchronized List<VolumeUse> uses(VolumeKey volume) {
        return List.copyOf(users.getOrDefault(volume, Map.of()).values());
    }

    /** Returns the capability for the calls of a grant: without the group if the node gives the files to it. */
    private VolumeCapability capability(VolumeGrant grant) {
        MountOptions options = grant.mountOptions();
        return grant.claim().capability().toVolumeCapability(setsGroup(grant) ? options : options.withoutGroup());
    }

    private boolean setsGroup(VolumeGrant grant) {
        return plugin(grant.view().volume().pluginId()).capabilities().contains(FakeCapability.VOLUME_MOUNT_GROUP);
    }

    /** Records that the node gives the files of a volume to the group of the grant, as an agent does after the publication. */
    private void changeOwnership(VolumeGrant grant) {
        OptionalLong group = grant.mountOptions().groupNumber();
        boolean writes = grant.claim().mode() == ClaimMode.WRITE
                && grant.claim().capability().attachmentMode() == AttachmentMode.MOUNT;
        if (group.isEmpty() || !writes || setsGroup(grant)) {
            return;
        }
        Volume volume = grant.view().volume();
        OwnershipOptions options = grant.mountOptions().ownership();
        boolean changes = cluster.giveFiles(volume.remoteId(), group.getAsLong(), options);
        if (changes) {
            synchronized (this) {
                ownershipChanges.add(
                        new OwnershipChange(volume.key(), grant.claim().allocationId(), group.getAsLong(), options));
            }
        }
    }

    /**
     * Returns the changes of files' groups and owners by this node, which an agent makes between NodePublishVolume and
     * the mount's report if a plugin does not have VOLUME_MOUNT_GROUP, in their order. With ON_ROOT_MISMATCH, a volume
     * whose files belong to the group already is not changed. A volume of the fake has no files, so ROOT_IF_EMPTY changes its
     * root directory.
     */
    public synchronized List<OwnershipChange> ownershipChanges() {
        return List.copyOf(ownershipChanges);
    }

    /**
     * A change of the group of a volume's files by the node.
     *
     * @param volume the volume
     * @param allocation the allocation that the volume was mounted for
     * @param group the id of the group
     * @param options which files were changed, and the owner of the root directory
     */
    public record OwnershipChange(VolumeKey volume, AllocationId allocation, long group, OwnershipOptions options) {}

    private CompletableFuture<Void> stage(VolumeGrant grant) {
        return client(grant)
                .node()
                .nodeStageVolume(NodeStageVolumeRequest.builder(
                                grant.view().volume().remoteId(),
                                stagingPath(grant.view().volume().key()),
                                capability(grant))
                        .publishContext(grant.publishContext())
                        .volumeContext(grant.view().volume().volumeContext())
                        .secrets(grant.stageSecrets())
                        .build());
    }

    private CompletableFuture<Void> publish(VolumeGrant grant) {
        VolumeKey volume = grant.view().volume().key();
        Map<String, String> context =
                new HashMap<>(grant.view().volume().volumeContext().asMap());
        context.putAll(grant.workloadInfo().asMap());
        return client(grant)
                .node()
                .nodePublishVolume(NodePublishVolumeRequest.builder(
                                grant.view().volume().remoteId(),
                                targetPath(volume, grant.claim().allocationId()),
                                capability(grant))
                        .stagingTargetPath(stagingPath(volume))
                        .publishContext(grant.publishContext())
                        .volumeContext(VolumeContext.of(context))
                        .readonly(grant.claim().mode() == ClaimMode.READ)
                        .secrets(grant.publishSecrets())
                        .build());
    }

    private CsiClient client(VolumeGrant grant) {
        return client(grant.view().volume().pluginId());
    }

    /**
     * Unmounts a volume from an allocation, as an agent does: NodeUnpublishVolume, and NodeUnstageVolume after the last user. Has no effect if the
     * volume is not mounted for the allocation.
     */
    CompletableFuture<Void> unmount(VolumeKey volume, AllocationId allocation) {
        return inOrder(volume, () -> {
            var row = cluster.state().volume(volume);
            if (row.isEmpty() || row.get().externalVolumeId().isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            var externalId = row.get().remoteId();
            CsiClient client = client(row.get().pluginId());
            return client.node()
                    .nodeUnpublishVolume(NodeUnpublishVolumeRequest.builder(externalId, targetPath(volume, allocation))
                            .build())
                    .thenCompose(nothing -> hasOtherUser(volume, allocation)
                            ? CompletableFuture.<Void>completedFuture(null)
                            : client.node()
                                    .nodeUnstageVolume(NodeUnstageVolumeRequest.builder(externalId, stagingPath(volume))
                                            .build()))
                    .thenRun(() -> removeUser(volume, allocation));
        });
    }

    private synchronized boolean hasOtherUser(VolumeKey volume, AllocationId allocation) {
        return users.getOrDefault(volume, Map.of()).keySet().stream().anyMatch(user -> !user.equals(allocation));
    }

    private synchronized void removeUser(VolumeKey volume, AllocationId allocation) {
        Map<AllocationId, VolumeUse> present = users.get(volume);
        if (present != null && present.remove(allocation) != null && present.isEmpty()) {
            users.remove(volume);
        }
    }

    CompletableFuture<NodeExpansion> expand(NodeExpand request) {
        return inOrder(
                request.volume(),
                () -> client(request.pluginId())
                        .node()
                        .nodeExpandVolume(NodeExpandVolumeRequest.builder(
                                        request.externalVolumeId(),
                                        targetPath(request.volume(), request.allocationId()))
                                .stagingTargetPath(stagingPath(request.volume()))
                                .capacityRange(request.capacityRange())
                                .volumeCapability(request.capability().toVolumeCapability(MountOptions.none()))
                                .build())
                        .thenApply(answer -> new NodeExpansion(answer.capacityBytes())));
    }

    @Override
    public void close() {
        plugins.values().forEach(NodePlugin::close);
    }

    @Override
    public String toString() {
        return "FakeNode[" + id + (answers() ? "]" : ", does not answer]");
    }
}
