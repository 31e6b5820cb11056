package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.rpc.ControllerGetVolumeRequest;
import io.csi4j.core.rpc.ControllerGetVolumeResponse;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse.Confirmed;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Queries the controller about a volume and about the available capacity. */
final class VolumeChecks {
    private final Session session;

    VolumeChecks(Session session) {
        this.session = session;
    }

    void capacity() {
        if (!session.offers(ControllerCapability.GET_CAPACITY, Rpc.GET_CAPACITY)) {
            return;
        }
        GetCapacityRequest.Builder request = GetCapacityRequest.builder()
                .volumeCapabilities(List.of(session.options().capability()))
                .parameters(session.options().parameters());
        session.capabilities().requestedTopology().ifPresent(request::accessibleTopology);
        session.optional(() -> session.steps()
                .call(
                        Rpc.GET_CAPACITY,
                        () -> session.plugin().controller().getCapacity(request.build()),
                        VolumeChecks::text));
    }

    private static String text(GetCapacityResponse capacity) {
        return Quantities.text(capacity.availableCapacity()) + " available"
                + capacity.minimumVolumeSize()
                        .map(size -> ", at least " + Quantities.text(size) + " each")
                        .orElse("")
                + capacity.maximumVolumeSize()
                        .map(size -> ", at most " + Quantities.text(size) + " each")
                        .orElse("");
    }

    /** Validates the capability of the volume; for an existing volume this is the first step (R43). */
    void validate(CreatedVolume volume) {
        if (!session.capabilities().has(PluginService.CONTROLLER_SERVICE)) {
            session.skip(Rpc.VALIDATE_VOLUME_CAPABILITIES.csiName(), "no CONTROLLER_SERVICE");
            return;
        }
        ValidateVolumeCapabilitiesRequest request = ValidateVolumeCapabilitiesRequest.builder(
                        volume.id(), List.of(session.options().capability()))
                .volumeContext(volume.context())
                .parameters(session.options().parameters())
                .secrets(session.options().secrets())
                .build();
        ValidateVolumeCapabilitiesResponse answer = session.steps()
                .call(
                        Rpc.VALIDATE_VOLUME_CAPABILITIES,
                        () -> session.plugin().controller().validateVolumeCapabilities(request),
                        confirmed -> confirmed.confirmed().isPresent() ? "confirmed" : "not confirmed");
        session.steps().local("compare what was confirmed", () -> compare(answer));
    }

    /** An older plugin may confirm less than was requested (R69). */
    private String compare(ValidateVolumeCapabilitiesResponse answer) throws IOException {
        Confirmed confirmed = answer.confirmed()
                .orElseThrow(() -> new IOException(
                        "the plugin does not confirm " + session.options().accessMode()
                                + (answer.message().isEmpty() ? "" : ": " + answer.message())));
        if (!confirmed.volumeCapabilities().contains(session.options().capability())) {
            throw new IOException("the plugin confirmed another capability than the requested one (R69)");
        }
        return "the requested capability";
    }

    /** Checks whether the listing has the volume and its nodes (R70, R71). */
    void list(CreatedVolume volume) {
        if (!session.offers(ControllerCapability.LIST_VOLUMES, Rpc.LIST_VOLUMES)) {
            return;
        }
        session.optional(() -> {
            List<ListVolumesResponse.Entry> entries = session.steps()
                    .call(
                            Rpc.LIST_VOLUMES,
                            () -> Pages.volumes(session.plugin().controller()),
                            all -> all.size() + " volumes");
            Optional<ListVolumesResponse.Entry> listed = entries.stream()
                    .filter(entry -> entry.volume().volumeId().equals(volume.id()))
                    .findFirst();
            if (listed.isEmpty()) {
                session.warn("look for the volume", "not in the list; a list is not a consistent snapshot (R70)");
            } else if (session.capabilities().has(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES)) {
                publishedNodes(listed.get().status());
            }
        });
    }

    private void publishedNodes(Optional<ExternalVolumeStatus> status) {
        List<ExternalNodeId> nodes =
                status.map(ExternalVolumeStatus::publishedNodeIds).orElse(List.of());
        String names = nodes.stream().map(ExternalNodeId::value).collect(Collectors.joining(", "));
        if (session.capabilities().nodeId().filter(nodes::contains).isPresent()) {
            session.steps().local("look for the volume", () -> "listed, published to " + names);
        } else {
            session.warn("look for the volume", "listed, but published to [" + names + "], not to this node (R71)");
        }
    }

    void get(CreatedVolume volume) {
        if (!session.offers(ControllerCapability.GET_VOLUME, Rpc.CONTROLLER_GET_VOLUME)) {
            return;
        }
        session.optional(() -> {
            ControllerGetVolumeResponse answer = session.steps()
                    .call(
                            Rpc.CONTROLLER_GET_VOLUME,
                            () -> session.plugin()
                                    .controller()
                                    .controllerGetVolume(ControllerGetVolumeRequest.builder(volume.id())
                                            .build()),
                            found -> found.volume().volumeId()
                                    + HealthText.text(found.status().flatMap(ExternalVolumeStatus::volumeCondition)));
            if (!answer.volume().volumeId().equals(volume.id())) {
                session.warn(
                        "compare",
                        "asked for " + volume.id() + ", got " + answer.volume().volumeId());
            }
        });
    }
}
