package io.csi4j.node.internal.worker;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import io.csi4j.core.rpc.NodeGetStorageHealthRequest;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthRequest;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.NodePaths;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Queries about a mounted volume, and its expansion. */
public final class NodeQueries {
    private final NodePorts ports;

    public NodeQueries(NodePorts ports) {
        this.ports = ports;
    }

    public CompletableFuture<NodeGetVolumeStatsResponse> stats(VolumeEntry entry, AllocationId allocation) {
        Location location = location(entry, allocation, Rpc.NODE_GET_VOLUME_STATS, NodeCapability.GET_VOLUME_STATS);
        NodeGetVolumeStatsRequest.Builder request =
                NodeGetVolumeStatsRequest.builder(location.id.externalVolumeId(), location.target);
        location.staging().ifPresent(request::stagingTargetPath);
        return location.plugin.service().nodeGetVolumeStats(request.build());
    }

    public CompletableFuture<NodeGetVolumeHealthResponse> health(VolumeEntry entry, AllocationId allocation) {
        Location location = location(entry, allocation, Rpc.NODE_GET_VOLUME_HEALTH, NodeCapability.GET_VOLUME_HEALTH);
        NodeGetVolumeHealthRequest.Builder request = NodeGetVolumeHealthRequest.builder(location.id.externalVolumeId())
                .volumePublishPath(location.target);
        location.staging().ifPresent(request::stagingTargetPath);
        return location.plugin.service().nodeGetVolumeHealth(request.build());
    }

    /** Queries the health of a volume with the RPC that the plugin supports. */
    public CompletableFuture<VolumeHealthReport> report(VolumeEntry entry, AllocationId allocation) {
        NodeVolumeId id = entry.id();
        Optional<NodePlugin> plugin =
                id == null ? Optional.empty() : ports.plugins().find(id.pluginId());
        boolean condition = plugin.map(NodePlugin::capabilities)
                .filter(offered -> !offered.has(NodeCapability.GET_VOLUME_HEALTH)
                        && offered.has(NodeCapability.GET_VOLUME_STATS)
                        && offered.has(NodeCapability.VOLUME_CONDITION))
                .isPresent();
        return condition
                ? Futures.map(
                        stats(entry, allocation), stats -> VolumeHealthReport.ofCondition(stats.volumeCondition()))
                : Futures.map(health(entry, allocation), health -> VolumeHealthReport.of(health.volumeHealth()));
    }

    /** Queries the health of storage backends. No worker is needed, because the query concerns no volume. */
    public CompletableFuture<NodeGetStorageHealthResponse> storage(StorageHealthQuery query) {
        Optional<NodePlugin> plugin = ports.plugins().find(query.pluginId());
        if (plugin.isEmpty()) {
            return unsent(query, StatusCode.UNAVAILABLE, "its node service is not there, or not healthy");
        }
        return plugin.get().capabilities().has(NodeCapability.GET_STORAGE_HEALTH)
                ? plugin.get()
                        .service()
                        .nodeGetStorageHealth(NodeGetStorageHealthRequest.builder()
                                .secrets(query.secrets())
                                .build())
                : unsent(query, StatusCode.UNIMPLEMENTED, "it does not offer " + NodeCapability.GET_STORAGE_HEALTH);
    }

    private static <R> CompletableFuture<R> unsent(StorageHealthQuery query, StatusCode code, String reason) {
        Rpc rpc = Rpc.NODE_GET_STORAGE_HEALTH;
        return CompletableFuture.failedFuture(new CsiCallException(
                rpc,
                query.pluginId().value(),
                null,
                code,
                CallOutcome.of(rpc, code, false),
                rpc.csiName() + " was not sent to plugin " + query.pluginId() + ": " + reason,
                null));
    }

    /** Expands the volume at the target path, with the staging path if there is one (R94). */
    public CompletableFuture<NodeExpansion> expand(VolumeEntry entry, NodeExpand expand) {
        Location location =
                location(entry, expand.allocationId(), Rpc.NODE_EXPAND_VOLUME, NodeCapability.EXPAND_VOLUME);
        NodeExpandVolumeRequest.Builder request = NodeExpandVolumeRequest.builder(
                        location.id.externalVolumeId(), location.target)
                .capacityRange(expand.capacityRange())
                .volumeCapability(entry.called(location.use.terms()).targetCapability())
                .secrets(expand.secrets());
        location.staging().ifPresent(request::stagingTargetPath);
        return Futures.map(
                location.plugin.service().nodeExpandVolume(request.build()),
                response -> new NodeExpansion(response.capacityBytes()));
    }

    private record Location(
            NodeVolumeId id,
            UseEntry use,
            NodePlugin plugin,
            String target,
            @Nullable String stagingPath) {
        Optional<String> staging() {
            return Optional.ofNullable(stagingPath);
        }
    }

    private Location location(VolumeEntry entry, AllocationId allocation, Rpc rpc, NodeCapability needed) {
        NodeVolumeId id = entry.id();
        // Prefers a target that can be written, because a file system cannot grow at a read-only one.
        Optional<UseEntry> use = entry.usesOf(allocation).stream()
                .filter(found -> found.phase() == UsePhase.PUBLISHED)
                .min(Comparator.comparing(found -> found.terms().readonly()));
        if (id == null || use.isEmpty()) {
            throw failure(entry, rpc, StatusCode.NOT_FOUND, "it is not mounted here for allocation " + allocation);
        }
        Optional<NodePlugin> plugin = ports.plugins().find(id.pluginId());
        if (plugin.isEmpty()) {
            throw failure(
                    entry,
                    rpc,
                    StatusCode.UNAVAILABLE,
                    "its node plugin is not there, or not healthy; try again later");
        }
        if (!plugin.get().capabilities().has(needed)) {
            throw failure(entry, rpc, StatusCode.UNIMPLEMENTED, "its node plugin does not offer " + needed);
        }
        StagingEntry staging = entry.staging();
        NodePaths paths = ports.paths();
        return new Location(
                id,
                use.get(),
                plugin.get(),
                paths.pathFor(plugin.get(), paths.target(entry.key(), use.get().id())),
                staging == null ? null : paths.pathFor(plugin.get(), paths.staging(entry.key(), staging.terms())));
    }

    /** Returns the failure of a query that was not sent, with the code that a plugin would use. */
    private static CsiCallException failure(VolumeEntry entry, Rpc rpc, StatusCode code, String reason) {
        NodeVolumeId id = entry.id();
        return new CsiCallException(
                rpc,
                id == null ? "" : id.pluginId().value(),
                id == null ? null : id.externalVolumeId().value(),
                code,
                CallOutcome.of(rpc, code, false),
                rpc.csiName() + " was not sent for volume " + entry.key() + ": " + reason,
                null);
    }
}
