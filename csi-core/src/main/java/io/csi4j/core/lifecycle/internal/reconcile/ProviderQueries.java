package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.lifecycle.ExternalPage;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.PageToken;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Asks plugins for the volumes and the free capacity of their storage providers. */
public final class ProviderQueries {
    private final Operations operations;
    private final ReportedHealth reported;

    public ProviderQueries(Operations operations, ReportedHealth reported) {
        this.operations = operations;
        this.reported = reported;
    }

    /**
     * Returns a page of the storage provider's volumes that the caller may see: those in namespaces that the caller may
     * read, or all for a caller with MANAGEMENT.
     */
    public CompletableFuture<ExternalPage<ListVolumesResponse.Entry>> volumes(
            Caller caller, PluginId plugin, int maxEntries, String token) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        PluginOffer.of(operations.state(), plugin)
                .needs(ControllerCapability.LIST_VOLUMES, "listing volumes")
                .check("listing of the provider's volumes");
        return page(plugin, maxEntries, token)
                .thenApply(page -> new ExternalPage<>(
                        page.entries().stream()
                                .filter(entry -> operations
                                        .permissions()
                                        .owns(caller, plugin, entry.volume().volumeId(), Permission.VOLUME_READ))
                                .map(ProviderQueries::withoutContext)
                                .toList(),
                        page.nextToken()));
    }

    private static ListVolumesResponse.Entry withoutContext(ListVolumesResponse.Entry entry) {
        return new ListVolumesResponse.Entry(
                entry.volume().toBuilder().volumeContext(VolumeContext.empty()).build(), entry.status());
    }

    CompletableFuture<ListVolumesResponse> page(PluginId plugin, int maxEntries, String token) {
        ListVolumesRequest request = ListVolumesRequest.builder()
                .maxEntries(maxEntries)
                .startingToken(token)
                .build();
        return operations
                .calls()
                .controller(CallSubject.of(Rpc.LIST_VOLUMES, plugin, ""), controller -> controller.listVolumes(request))
                .thenApply(page -> {
                    String unused = PageToken.next(
                            Rpc.LIST_VOLUMES, "listing of the volumes of plugin " + plugin, token, page.nextToken());
                    page.entries().forEach(entry -> noteHealth(plugin, entry));
                    return page;
                });
    }

    private void noteHealth(PluginId plugin, ListVolumesResponse.Entry entry) {
        entry.status()
                .flatMap(status -> status.volumeCondition())
                .ifPresent(condition -> noteHealth(
                        plugin, entry.volume().volumeId(), VolumeHealthReport.ofCondition(Optional.of(condition))));
    }

    /** Takes note of the health of a volume in a list of the provider, if the state has the volume. */
    void noteHealth(PluginId plugin, ExternalVolumeId externalVolumeId, VolumeHealthReport health) {
        StateReader state = operations.state();
        state.volumeByExternalId(plugin, externalVolumeId)
                .flatMap(state::volume)
                .ifPresent(volume -> reported.record(
                        volume, new ReportedHealth.Reported(Optional.empty(), health, operations.now())));
    }

    public CompletableFuture<GetCapacityResponse> capacity(Caller caller, PluginId plugin, GetCapacityRequest request) {
        operations.permissions().allow(caller, Access.of(Permission.PLUGIN_READ));
        PluginOffer offer =
                PluginOffer.of(operations.state(), plugin).needs(ControllerCapability.GET_CAPACITY, "asking for room");
        if (request.accessibleTopology().isPresent()) {
            offer.needs(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS, "accessibleTopology");
        }
        offer.check("question for room");
        return operations
                .calls()
                .controller(
                        CallSubject.of(Rpc.GET_CAPACITY, plugin, ""), controller -> controller.getCapacity(request));
    }
}
