package io.csi4j.core.spi;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A gateway to plugins and agents that complete each call at once and keep no state, for trying or measuring an engine.
 * It validates, publishes, unpublishes and detaches volumes, and creates and deletes them if a subclass {@linkplain
 * #createsVolumes() wants it}; all other calls fail.
 * Safe for use by several threads.
 */
public class InstantGateway implements NodeGateway {
    private static final ControllerPublishVolumeResponse PUBLISHED =
            new ControllerPublishVolumeResponse(PublishContext.of(Map.of("device", "/dev/sdb")));

    private final Map<PluginId, ControllerService> services = new ConcurrentHashMap<>();

    /** Creates a gateway that has plugins of every name. */
    public InstantGateway() {}

    /**
     * Completes a call of a controller: at once, unless a subclass decides otherwise.
     *
     * @param response the response; null for a call without response
     * @param <R> the type of the response
     * @return a future of the response
     */
    protected <R> CompletableFuture<R> answer(PluginId plugin, @Nullable R response) {
        return CompletableFuture.completedFuture(response);
    }

    /**
     * Returns whether the plugins create and delete volumes; false, unless a subclass decides otherwise. A created volume has
     * the name, the size, the source and the place of its request.
     */
    protected boolean createsVolumes() {
        return false;
    }

    @Override
    public final ControllerService controller(InstanceKey instance) {
        return services.computeIfAbsent(instance.pluginId(), this::service);
    }

    private ControllerService service(PluginId plugin) {
        return (ControllerService) Proxy.newProxyInstance(
                InstantGateway.class.getClassLoader(),
                new Class<?>[] {ControllerService.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "controllerPublishVolume" -> answer(plugin, PUBLISHED);
                    case "controllerUnpublishVolume" -> answer(plugin, null);
                    case "validateVolumeCapabilities" ->
                        answer(plugin, confirmed((ValidateVolumeCapabilitiesRequest) arguments[0]));
                    default -> {
                        if (createsVolumes() && arguments[0] instanceof CreateVolumeRequest request) {
                            yield answer(plugin, made(request));
                        }
                        if (createsVolumes() && arguments[0] instanceof DeleteVolumeRequest) {
                            yield answer(plugin, null);
                        }
                        throw unsupported(method.getName());
                    }
                });
    }

    private static CreateVolumeResponse made(CreateVolumeRequest request) {
        ExternalVolume.Builder volume = ExternalVolume.builder(ExternalVolumeId.of(request.name()));
        request.capacityRange().ifPresent(range -> volume.capacityBytes(range.requiredBytes()));
        request.volumeContentSource().ifPresent(volume::contentSource);
        request.accessibilityRequirements()
                .ifPresent(asked ->
                        volume.accessibleTopology(asked.preferred().isEmpty() ? asked.requisite() : asked.preferred()));
        return new CreateVolumeResponse(volume.build());
    }

    private static ValidateVolumeCapabilitiesResponse confirmed(ValidateVolumeCapabilitiesRequest request) {
        return new ValidateVolumeCapabilitiesResponse(
                Optional.of(new ValidateVolumeCapabilitiesResponse.Confirmed(
                        request.volumeContext(),
                        request.volumeCapabilities(),
                        request.parameters(),
                        request.mutableParameters())),
                "");
    }

    private static UnsupportedOperationException unsupported(String call) {
        return new UnsupportedOperationException("these plugins have no " + call);
    }

    @Override
    public final CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
        return CompletableFuture.completedFuture(NodeDetached.withOthers(List.of()));
    }

    /** Reports that nothing is mounted. */
    @Override
    public final CompletableFuture<LedgerReport> ledger(NodeId nodeId) {
        return CompletableFuture.completedFuture(LedgerReport.empty());
    }

    @Override
    public final GroupControllerService groupController(InstanceKey instance) {
        throw unsupported("group controller");
    }

    /** Returns no name, so that any driver's plugin has answered. */
    @Override
    public final CompletableFuture<GetPluginInfoResponse> pluginInfo(NodeId nodeId, PluginId pluginId) {
        return CompletableFuture.completedFuture(new GetPluginInfoResponse("", "", Map.of()));
    }

    /** Does nothing: the nodes have no volume limit. */
    @Override
    public final CompletableFuture<Void> refreshNodeInfo(NodeId nodeId, PluginId pluginId) {
        return CompletableFuture.completedFuture(null);
    }
}
