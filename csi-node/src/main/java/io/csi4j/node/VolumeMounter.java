package io.csi4j.node;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.volume.VolumeUse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Mounts volumes on one node and unmounts them. {@link NodeVolumes} is the standard implementation. A host may wrap it,
 * or replace it, with {@code NodeAgentBuilder.volumeMounter} of csi-agent.
 *
 * <p>No method blocks, because an agent calls the methods on its network threads. All are safe for use by many threads. An
 * implementation has these duties:
 *
 * <ul>
 * <li>The future of {@link #unmount} succeeds only when the volume is certainly no longer mounted for the allocation. After this success
 * the servers detach the volume and grant it to others, so a wrong success may lose data.
 * <li>{@link #volumesOf} and {@link #volumesFor} also return the volumes that an earlier process has mounted, so an implementation keeps a
 * persistent record.
 *   <li>At most one call of a plugin is in flight per volume (R26).
 *   <li>Repeated requests are harmless: servers repeat a request whose answer was lost.
 * </ul>
 *
 * <p>Futures fail with a {@link NodeVolumeException}, or with the {@link io.csi4j.core.call.CsiCallException} of a plugin.
 * Every method except {@link #stop} may throw IllegalStateException before {@link #start}.
 */
public interface VolumeMounter {
    /** Creates the mounter of an agent. */
    @FunctionalInterface
    interface Factory {
        /**
         * Creates the mounter. Each call of {@code NodeAgentBuilder.start} calls this method once.
         *
         * @param standard builds {@link NodeVolumes} with the settings of the agent; it also has the agent's
         *     {@linkplain NodeVolumesBuilder#baseDirectory() directory} and {@linkplain NodeVolumesBuilder#plugins()
         *     plugins}. Call its {@code build()} at most once
         * @return the mounter; the agent starts and stops it
         */
        VolumeMounter create(NodeVolumesBuilder standard);
    }

    /**
     * Reads the record of an earlier process and resumes its work. The agent calls it once, before all other methods.
     *
     * @return completes when {@link #volumesOf} and {@link #volumesFor} are known
     */
    CompletableFuture<@Nullable Void> start();

    /**
     * Waits for {@link #start}.
     *
     * @return a future that completes like the future of {@link #start}. If the caller cancels it, the start continues
     */
    CompletableFuture<@Nullable Void> ready();

    /**
     * Ends the work and leaves all mounts as they are.
     *
     * @return completes when nothing is written any more
     */
    CompletableFuture<@Nullable Void> stop();

    /**
     * Mounts a volume for an allocation. An allocation may mount a volume several times: each {@link NodeMount#number()}
     * has its own target, and all have one staging. A {@linkplain NodeMount#numberProposed() proposed} number gives way
     * to the number of an equal mount that the allocation has.
     *
     * @param request the volume, the allocation and the options
     * @return the mounted volume with its path; a repeated request returns the same path. Cancelling the future undoes the mount
     */
    CompletableFuture<MountedVolume> mount(NodeMount request);

    /**
     * Unmounts a volume from an allocation, at all its targets. Succeeds if the allocation has no mount.
     *
     * @param request the volume and the allocation
     * @return completes when the volume is not mounted for the allocation
     */
    CompletableFuture<@Nullable Void> unmount(NodeUnmount request);

    /**
     * Carries out an operator's order to unmount a target without the plugin, because the plugin answers that it has no such mount; see
     * {@link NodeVolumes#unmountDirectly}.
     *
     * @param operator the operator
     * @param reason the operator's reason
     * @return as {@link #unmount}; fails with an UnsupportedOperationException if this mounter does not support direct unmounts
     */
    default CompletableFuture<@Nullable Void> unmountDirectly(NodeUnmount request, String operator, String reason) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("this volume mounter offers no direct"
                + " unmount; unmount the target of " + request.id().volume() + " by hand"));
    }

    /**
     * Carries out an operator's order to finish the unmount of a volume without its plugin, if nothing of it is mounted;
     * see {@link NodeVolumes#forgetUnmount}.
     *
     * @param operator the operator
     * @param reason the operator's reason
     * @return as {@link #unmount}; fails with an UnsupportedOperationException if this mounter does not support such
     *     orders
     */
    default CompletableFuture<@Nullable Void> forgetUnmount(
            VolumeKey volume, AllocationId allocationId, String operator, String reason) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException(
                "this volume mounter offers no way to forget an unmount; drop its record of " + volume + " by hand"));
    }

    /**
     * Makes the node's part of the list of volumes that servers show to operators, for {@link io.csi4j.core.spi.NodeGateway#report}. It has no
     * paths.
     *
     * @return all volumes of this mounter; fails until {@link #start} has read the record
     */
    default CompletableFuture<NodeReport> report() {
        return NodeReporting.of(this);
    }

    /**
     * Expands the file system or device of an allocation with NodeExpandVolume (R94).
     *
     * @return the new size
     */
    CompletableFuture<NodeExpansion> expand(NodeExpand request);

    /**
     * Queries the usage of a volume, and before CSI 1.13 also its condition (R92).
     *
     * @param request the volume and the allocation
     * @return the plugin's response. Fails with a CsiCallException: with NOT_FOUND if the volume is not mounted for the allocation, with
     *     UNIMPLEMENTED if the plugin does not support the RPC
     */
    CompletableFuture<NodeGetVolumeStatsResponse> stats(NodeVolumeQuery request);

    /**
     * Queries the health of a volume. CSI has this RPC since 1.13, as an alpha feature (R104).
     *
     * @param request the volume and the allocation
     * @return the plugin's response; fails as {@link #stats} does
     */
    CompletableFuture<NodeGetVolumeHealthResponse> health(NodeVolumeQuery request);

    /**
     * Queries the health of a volume with the RPC that its plugin supports: NodeGetVolumeHealth (CSI 1.13), or the volume
     * condition in NodeGetVolumeStats (older plugins).
     *
     * @param request the volume and the allocation
     * @return the health; fails as {@link #stats} does
     */
    CompletableFuture<VolumeHealthReport> healthReport(NodeVolumeQuery request);

    /**
     * Queries the health of a plugin's storage backends from the point of view of this node. CSI has this RPC since
     * 1.13, as an alpha feature (R104).
     *
     * @param request the plugin
     * @return the plugin's response. Fails with a CsiCallException: with UNAVAILABLE while the plugin is missing, with UNIMPLEMENTED if the
     *     plugin does not support the RPC
     */
    CompletableFuture<NodeGetStorageHealthResponse> storageHealth(StorageHealthQuery request);

    /**
     * Returns what is mounted on this node, and for whom: everything, also what an earlier process has mounted. Servers
     * ask for it when their state may be older than the node.
     *
     * @return the complete report, with the ids by which the plugins know this machine. Fails while the mounter cannot
     *     know all mounts, for example because the mount table cannot be read
     */
    CompletableFuture<LedgerReport> ledger();

    /**
     * Returns the uses of one volume on this node, by all allocations.
     *
     * @return the uses; fails if the volume may be mounted for an allocation that is not known
     */
    default CompletableFuture<List<VolumeUse>> uses(NodeVolumeId id) {
        return ledger().thenApply(report -> {
            if (report.unclear().contains(id.volume())) {
                throw new NodeVolumeException(
                        NodeVolumeException.Reason.LEDGER,
                        "Volume " + id.volume() + " may be mounted for an allocation that the ledger does not name."
                                + " Mount or unmount it by its allocation.");
            }
            return report.uses().stream()
                    .filter(use -> use.volume().equals(id.volume())
                            || (use.pluginId().equals(id.pluginId())
                                    && use.externalVolumeId().equals(id.externalVolumeId())))
                    .toList();
        });
    }

    /** Notifies the mounter that a plugin was added or has changed, so that waiting work resumes. */
    void pluginChanged(PluginId pluginId);

    /**
     * Returns the volumes that need a plugin, for a mount or an unmount.
     *
     * @return the volumes, in order
     * @throws IllegalStateException while the volumes are not known
     */
    List<VolumeKey> volumesOf(PluginId pluginId);

    /** Returns the volumes that an allocation uses on this node, including those that are being unmounted for it. */
    List<NodeVolumeId> volumesFor(AllocationId allocationId);

    /** Returns the status of all volumes of this node, in the order of their keys. */
    List<NodeVolumeStatus> volumes();

    /** Returns the status of one volume; empty if it is not on this node. */
    Optional<NodeVolumeStatus> status(VolumeKey volume);
}
