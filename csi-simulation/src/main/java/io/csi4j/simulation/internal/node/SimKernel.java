package io.csi4j.simulation.internal.node;

import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.simulation.internal.disk.SimDisk;
import io.csi4j.simulation.internal.time.SimLocks;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The kernel and the plugins of one node: its mount points and the locks of its plugins. */
final class SimKernel {
    private final SimWorld world;
    private final SimNode node;
    private final SimDisk disk;
    private final Set<String> mountPoints = new TreeSet<>();
    /** The arguments with which each mount point was made. */
    private final Map<String, NodePublishVolumeRequest> published = new HashMap<>();

    private final Map<String, VolumeCapability> staged = new HashMap<>();
    /** The content that plugins keep for inline volumes until NodeUnpublishVolume, also over a reboot, by the target. */
    private final Map<String, NodePublishVolumeRequest> inline = new TreeMap<>();
    /** The targets that workloads use. */
    private final Map<SimNode.Mount, Set<String>> inUse = new TreeMap<>();

    /** The targets whose change of ownership has ended, with the number of files that workloads had written at its begin. */
    private final Map<String, Long> changed = new HashMap<>();
    /** The agents that change the files of targets, by the target. */
    private final Map<String, SimProcess> changes = new HashMap<>();

    private final SimLocks locks = new SimLocks();
    private final SimRenewals renewals;
    private final SimLabels labels;
    /** The number of each mount, as in the mount table. */
    private final Map<String, Integer> entries = new HashMap<>();

    private int mounts;
    private @Nullable SimProcess agent;
    private @Nullable Duration agentReady;
    private int boots = 1;
    private long pluginStarts;

    SimKernel(SimWorld world, SimNode node, SimDisk disk) {
        this.world = world;
        this.node = node;
        this.disk = disk;
        this.renewals = new SimRenewals(world, this);
        this.labels = new SimLabels(world, this);
    }

    SimLabels labels() {
        return labels;
    }

    SimRenewals renewals() {
        return renewals;
    }

    /** Sets the agent process that runs; null: none. */
    void agent(@Nullable SimProcess process) {
        agent = process;
        agentReady = null;
        renewals.agentChanged();
    }

    void agentIsReady() {
        agentReady = world.scheduler().elapsed();
    }

    /** Returns the agent process that runs; null: none. */
    @Nullable SimProcess agent() {
        return agent;
    }

    /** Returns since when the agent is ready; null: it is not. */
    @Nullable Duration agentReady() {
        return agentReady;
    }

    /** Returns the text of a mount in the mount table; empty: nothing is mounted there. */
    String entry(String path) {
        Integer number = entries.get(path);
        return number == null ? "" : "mount " + number;
    }

    /** Replaces a mount by another one. */
    void remount(String path) {
        entries.put(path, ++mounts);
    }

    /** Removes a mount, without a call to unpublish it. */
    void loseMount(String path) {
        mountPoints.remove(path);
        entries.remove(path);
        labels.unmounted(path);
    }

    SimNode node() {
        return node;
    }

    SimDisk disk() {
        return disk;
    }

    /** The mount points, as in the mount table. */
    Set<String> mountPoints() {
        return Collections.unmodifiableSet(mountPoints);
    }

    private void mount(String path, VolumeCapability capability) {
        if (mountPoints.add(path)) {
            remount(path);
            labels.mounted(path, capability);
        }
    }

    void stage(NodeStageVolumeRequest request) {
        mount(request.stagingTargetPath(), request.volumeCapability());
        staged.put(request.stagingTargetPath(), request.volumeCapability());
    }

    void publish(NodePublishVolumeRequest request) {
        mount(request.targetPath(), request.volumeCapability());
        published.put(request.targetPath(), request);
    }

    /** Makes an inline volume at a target. Only some plugins mount it there. */
    void publishInline(NodePublishVolumeRequest request, boolean mounts) {
        if (mounts) {
            mount(request.targetPath(), request.volumeCapability());
        }
        published.put(request.targetPath(), request);
        inline.put(request.targetPath(), request);
    }

    /** Returns the call that made the inline volume at a target; null: there is none. */
    @Nullable NodePublishVolumeRequest inline(String target) {
        return inline.get(target);
    }

    /** Removes an inline volume; false: there was none at the target. */
    boolean removeInline(String target) {
        return inline.remove(target) != null;
    }

    /** The targets of inline volumes. */
    Set<String> inlineTargets() {
        return Collections.unmodifiableSet(inline.keySet());
    }

    /** Returns the call that mounted a target; null: nothing is mounted there. */
    @Nullable NodePublishVolumeRequest published(String target) {
        return published.get(target);
    }

    /** Returns the calls that mounted targets. */
    Collection<NodePublishVolumeRequest> targets() {
        return Collections.unmodifiableCollection(published.values());
    }

    /** Returns the capability with which a volume was staged at a path; null: nothing is mounted there. */
    @Nullable VolumeCapability staged(String path) {
        return staged.get(path);
    }

    /** Records that an agent begins to give the files of a target to a group. */
    void beginChange(String path, SimProcess agent) {
        changed.remove(path);
        changes.put(path, agent);
        renewals.disturb();
    }

    void endChange(String path) {
        changes.remove(path);
    }

    /**
     * Records that a change of ownership has ended.
     *
     * @param begun the number of files that workloads had written when it began
     */
    void changed(String path, long begun) {
        changed.put(path, begun);
    }

    /** Returns the number of files that workloads had written when the last change of a target began; null: none has ended. */
    @Nullable Long changedSince(String path) {
        return changed.get(path);
    }

    /** Whether an agent that runs changes the files of a target. */
    boolean isChanging(String path) {
        SimProcess agent = changes.get(path);
        return agent != null && agent.alive();
    }

    void unmount(String path) {
        changed.remove(path);
        loseMount(path);
        renewals.unmounted(path);
        published.remove(path);
        staged.remove(path);
    }

    boolean isMounted(String path) {
        return mountPoints.contains(path);
    }

    /** Records that a workload uses targets of the mount. The agent calls this after it has reported them. */
    void use(SimNode.Mount mount, Collection<String> targets) {
        if (node.mounts().contains(mount)) {
            inUse.computeIfAbsent(mount, none -> new TreeSet<>()).addAll(targets);
        }
    }

    /** Whether a workload uses the target. It does not use one that an attempt to mount has left. */
    boolean isInUse(SimNode.Mount mount, String target) {
        return inUse.getOrDefault(mount, Set.of()).contains(target);
    }

    void noLongerUsed(SimNode.Mount mount) {
        inUse.remove(mount);
    }

    String bootId() {
        return "boot-" + boots;
    }

    /** The locks with which each plugin works on only one call for a volume at a time. */
    SimLocks locks() {
        return locks;
    }

    /** Returns the number of restarts of the plugins so far. A restart loses the calls in progress. */
    long pluginStarts() {
        return pluginStarts;
    }

    void restartPlugin() {
        renewals.disturb();
        pluginStarts++;
        locks.clear();
    }

    /** Removes all mounts, and ends the calls in progress. */
    void reboot() {
        boots++;
        mountPoints.clear();
        entries.clear();
        renewals.reboot();
        labels.reboot();
        published.clear();
        staged.clear();
        changed.clear();
        changes.clear();
        inUse.clear();
        restartPlugin();
        world.trace().note(node.id.value(), "has no mounts after " + bootId() + " began");
    }
}
