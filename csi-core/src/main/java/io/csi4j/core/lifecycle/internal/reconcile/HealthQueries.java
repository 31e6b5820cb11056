package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.lifecycle.AbnormalVolume;
import io.csi4j.core.lifecycle.ExternalPage;
import io.csi4j.core.lifecycle.HealthVerdict;
import io.csi4j.core.lifecycle.StorageHealthReport;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.PageToken;
import io.csi4j.core.rpc.ControllerGetVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerGetVolumeRequest;
import io.csi4j.core.rpc.ControllerListVolumeHealthRequest;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * Queries the health of volumes and storage. CSI 1.13 has its own RPCs for health (R104); older versions report a
 * volume condition. If the plugin supports both, the newer RPCs are used. If it supports neither, no call is made.
 */
public final class HealthQueries {
    private final Operations operations;
    private final ProviderQueries provider;
    private final ReportedHealth reported;

    public HealthQueries(Operations operations, ProviderQueries provider, ReportedHealth reported) {
        this.operations = operations;
        this.provider = provider;
        this.reported = reported;
    }

    /** Asks the plugin's controller for the health of a volume. */
    public CompletableFuture<VolumeHealthReport> volume(Caller caller, VolumeKey key) {
        operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_READ));
        Volume volume = operations.available(key);
        PluginOffer offer = PluginOffer.of(operations.state(), volume.pluginId());
        if (offer.has(ControllerCapability.GET_VOLUME_HEALTH)) {
            return operations
                    .secrets()
                    .of(caller, volume, Rpc.CONTROLLER_GET_VOLUME_HEALTH)
                    .thenCompose(secrets -> operations
                            .calls()
                            .controller(
                                    CallSubject.of(Rpc.CONTROLLER_GET_VOLUME_HEALTH, volume, 1),
                                    controller -> controller.controllerGetVolumeHealth(
                                            ControllerGetVolumeHealthRequest.builder(volume.remoteId())
                                                    .secrets(secrets)
                                                    .build())))
                    .thenApply(answer -> noted(volume, Optional.empty(), VolumeHealthReport.of(answer.volumeHealth())));
        }
        if (offer.has(ControllerCapability.GET_VOLUME) && offer.has(ControllerCapability.VOLUME_CONDITION)) {
            return operations
                    .calls()
                    .controller(
                            CallSubject.of(Rpc.CONTROLLER_GET_VOLUME, volume, 1),
                            controller ->
                                    controller.controllerGetVolume(ControllerGetVolumeRequest.builder(volume.remoteId())
                                            .build()))
                    .thenApply(answer -> noted(
                            volume,
                            Optional.empty(),
                            VolumeHealthReport.ofCondition(
                                    answer.status().flatMap(status -> status.volumeCondition()))));
        }
        return CompletableFuture.completedFuture(VolumeHealthReport.notReported());
    }

    /** Asks the node of an allocation for the health of the volume that the allocation uses. */
    public CompletableFuture<VolumeHealthReport> volume(Caller caller, VolumeKey key, AllocationId allocationId) {
        operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_READ));
        Volume volume = operations.volume(key);
        PluginOffer offer = PluginOffer.of(operations.state(), volume.pluginId());
        if (offer.has(NodeCapability.GET_VOLUME_HEALTH)) {
            return onNode(Rpc.NODE_GET_VOLUME_HEALTH, volume, allocationId, NodeGateway::volumeHealth)
                    .thenApply(NodeGetVolumeHealthResponse::volumeHealth)
                    .thenApply(VolumeHealthReport::of)
                    .thenApply(health -> noted(volume, nodeOf(volume, allocationId), health));
        }
        if (offer.has(NodeCapability.GET_VOLUME_STATS) && offer.has(NodeCapability.VOLUME_CONDITION)) {
            return onNode(Rpc.NODE_GET_VOLUME_STATS, volume, allocationId, NodeGateway::volumeStats)
                    .thenApply(NodeGetVolumeStatsResponse::volumeCondition)
                    .thenApply(VolumeHealthReport::ofCondition)
                    .thenApply(health -> noted(volume, nodeOf(volume, allocationId), health));
        }
        return CompletableFuture.completedFuture(VolumeHealthReport.notReported());
    }

    private static Optional<NodeId> nodeOf(Volume volume, AllocationId allocationId) {
        return volume.claims().get(allocationId).map(Claim::nodeId);
    }

    /** Takes note of a report for the lists of volumes, and returns it. */
    private VolumeHealthReport noted(Volume volume, Optional<NodeId> nodeId, VolumeHealthReport health) {
        reported.record(volume, new ReportedHealth.Reported(nodeId, health, operations.now()));
        return health;
    }

    /** Asks the node of an allocation for the usage of the volume (R92). */
    public CompletableFuture<NodeGetVolumeStatsResponse> stats(
            Caller caller, VolumeKey key, AllocationId allocationId) {
        operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_READ));
        Volume volume = operations.volume(key);
        PluginOffer.of(operations.state(), volume.pluginId())
                .needs(NodeCapability.GET_VOLUME_STATS, "telling usage")
                .check("read the usage of volume " + key);
        return onNode(Rpc.NODE_GET_VOLUME_STATS, volume, allocationId, NodeGateway::volumeStats);
    }

    private <R> CompletableFuture<R> onNode(Rpc rpc, Volume volume, AllocationId allocationId, Ask<R> ask) {
        Claim claim = volume.claims()
                .get(allocationId)
                .orElseThrow(() -> new CsiRequestException(
                        "read volume " + volume.key(),
                        List.of(new Problem(
                                "allocationId",
                                "is " + allocationId + ", which has not claimed the volume",
                                "name one that has; status(volume) shows which"))));
        return operations
                .calls()
                .node(
                        CallSubject.of(rpc, volume, 1),
                        claim.nodeId(),
                        () -> ask.of(operations.ports().gateway(), claim.nodeId(), NodeVolumeQuery.of(volume, claim)));
    }

    @FunctionalInterface
    private interface Ask<R> {
        CompletableFuture<R> of(NodeGateway gateway, NodeId nodeId, NodeVolumeQuery snapshot);
    }

    /** Asks a node for the health of a plugin's storage backends. Plugins support this since CSI 1.13. */
    public CompletableFuture<StorageHealthReport> storage(Caller caller, PluginId plugin, NodeId nodeId) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        if (!PluginOffer.of(operations.state(), plugin).has(NodeCapability.GET_STORAGE_HEALTH)) {
            return CompletableFuture.completedFuture(StorageHealthReport.notReported());
        }
        return operations
                .secrets()
                .of(caller, plugin, Rpc.NODE_GET_STORAGE_HEALTH)
                .thenCompose(secrets -> operations
                        .calls()
                        .node(
                                CallSubject.of(Rpc.NODE_GET_STORAGE_HEALTH, plugin, ""),
                                nodeId,
                                () -> operations
                                        .ports()
                                        .gateway()
                                        .storageHealth(nodeId, new StorageHealthQuery(plugin, secrets))))
                .thenApply(NodeGetStorageHealthResponse::backendHealth)
                .thenApply(StorageHealthReport::of);
    }

    /** Returns a page of the storage provider's abnormal volumes, with only those volumes that the caller may see. */
    public CompletableFuture<ExternalPage<AbnormalVolume>> abnormal(
            Caller caller, PluginId plugin, int maxEntries, String token) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        PluginOffer offer = PluginOffer.of(operations.state(), plugin);
        BiFunction<Integer, String, CompletableFuture<ExternalPage<AbnormalVolume>>> list;
        if (offer.has(ControllerCapability.LIST_VOLUMES)
                && offer.has(ControllerCapability.VOLUME_CONDITION)
                && !offer.has(ControllerCapability.LIST_VOLUME_HEALTH)) {
            list = (max, from) -> byCondition(plugin, max, from);
        } else {
            offer.needs(ControllerCapability.LIST_VOLUME_HEALTH, "listing volumes that are not well")
                    .check("listing of the volumes that are not well");
            list = (max, from) -> byHealth(caller, plugin, max, from);
        }
        return list.apply(maxEntries, token)
                .thenApply(page -> new ExternalPage<>(
                        page.entries().stream()
                                .filter(entry -> operations
                                        .permissions()
                                        .owns(caller, plugin, entry.volumeId(), Permission.VOLUME_READ))
                                .toList(),
                        page.nextToken()));
    }

    private CompletableFuture<ExternalPage<AbnormalVolume>> byCondition(PluginId plugin, int maxEntries, String token) {
        return provider.page(plugin, maxEntries, token)
                .thenApply(page -> new ExternalPage<>(
                        page.entries().stream()
                                .map(entry -> new AbnormalVolume(
                                        entry.volume().volumeId(),
                                        VolumeHealthReport.ofCondition(
                                                entry.status().flatMap(status -> status.volumeCondition()))))
                                .filter(volume -> volume.health().verdict() == HealthVerdict.ABNORMAL)
                                .toList(),
                        page.nextToken()));
    }

    private CompletableFuture<ExternalPage<AbnormalVolume>> byHealth(
            Caller caller, PluginId plugin, int maxEntries, String token) {
        return operations
                .secrets()
                .of(caller, plugin, Rpc.CONTROLLER_LIST_VOLUME_HEALTH)
                .thenCompose(secrets -> operations
                        .calls()
                        .controller(
                                CallSubject.of(Rpc.CONTROLLER_LIST_VOLUME_HEALTH, plugin, ""),
                                controller -> controller.controllerListVolumeHealth(
                                        ControllerListVolumeHealthRequest.builder()
                                                .maxEntries(maxEntries)
                                                .startingToken(token)
                                                .secrets(secrets)
                                                .build())))
                .thenApply(page -> {
                    page.entries()
                            .forEach(health -> provider.noteHealth(
                                    plugin, health.volumeId(), VolumeHealthReport.of(Optional.of(health))));
                    return page;
                })
                .thenApply(page -> new ExternalPage<>(
                        page.entries().stream()
                                .map(health -> new AbnormalVolume(
                                        health.volumeId(), VolumeHealthReport.of(Optional.of(health))))
                                .filter(volume -> volume.health().verdict() == HealthVerdict.ABNORMAL)
                                .toList(),
                        PageToken.next(
                                Rpc.CONTROLLER_LIST_VOLUME_HEALTH,
                                "listing of the volumes of plugin " + plugin + " that are not well",
                                token,
                                page.nextToken())));
    }
}
