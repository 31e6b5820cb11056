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

/** Asks the controller what it says about a volume, and about room for one. */
final class Inspection {
    private final Session session;

    Inspection(Session session) {
        this.session = session;
    }

    void capacity() {
        if (!session.offers(ControllerCapability.GET_CAPACITY, Rpc.GET_CAPACITY)) {
            return;
        }
        GetCapacityRequest.Builder request = GetCapacityRequest.builder()
                .volumeCapabilities(List.of(session.options().capability()))
                .parameters(session.options().parameters());
        session.facts().topologyToAskFor().ifPresent(request::accessibleTopology);
        session.extra(() -> session.walk()
                .call(
                        Rpc.GET_CAPACITY,
                        () -> session.plugin().controller().getCapacity(request.build()),
                        Inspection::text));
    }

    private static String text(GetCapacityResponse capacity) {
        return Quantity.text(capacity.availableCapacity()) + " available"
                + capacity.minimumVolumeSize()
                        .map(size -> ", at least " + Quantity.text(size) + " each")
                        .orElse("")
                + capacity.maximumVolumeSize()
                        .map(size -> ", at most " + Quantity.text(size) + " each")
                        .orElse("");
    }

    /** For a volume that was there before, this is where its life begins for us (R43). */
    void validate(CreatedVolume volume) {
        if (!session.facts().has(PluginService.CONTROLLER_SERVICE)) {
            session.skip(Rpc.VALIDATE_VOLUME_CAPABILITIES.csiName(), "no CONTROLLER_SERVICE");
            return;
        }
        ValidateVolumeCapabilitiesRequest request = ValidateVolumeCapabilitiesRequest.builder(
                        volume.id(), List.of(session.options().capability()))
                .volumeContext(volume.context())
                .parameters(session.options().parameters())
                .secrets(session.options().secrets())
                .build();
        ValidateVolumeCapabilitiesResponse answer = session.walk()
                .call(
                        Rpc.VALIDATE_VOLUME_CAPABILITIES,
                        () -> session.plugin().controller().validateVolumeCapabilities(request),
                        confirmed -> confirmed.confirmed().isPresent() ? "confirmed" : "not confirmed");
        session.walk().local("compare what was confirmed", () -> compare(answer));
    }

    /** An older plugin confirms what it understood, which may be less than was asked (R69). */
    private String compare(ValidateVolumeCapabilitiesResponse answer) throws IOException {
        Confirmed confirmed = answer.confirmed()
                .orElseThrow(() -> new IOException(
                        "the plugin does not confirm " + session.options().accessMode()
                                + (answer.message().isEmpty() ? "" : ": " + answer.message())));
        if (!confirmed.volumeCapabilities().contains(session.options().capability())) {
            throw new IOException("the plugin confirmed something else than was asked (R69)");
        }
        return "the same as was asked";
    }

    /** Whether the listing has it, and with which nodes (R70, R71). */
    void list(CreatedVolume volume) {
        if (!session.offers(ControllerCapability.LIST_VOLUMES, Rpc.LIST_VOLUMES)) {
            return;
        }
        session.extra(() -> {
            List<ListVolumesResponse.Entry> entries = session.walk()
                    .call(
                            Rpc.LIST_VOLUMES,
                            () -> Pages.volumes(session.plugin().controller()),
                            all -> all.size() + " volumes");
            Optional<ListVolumesResponse.Entry> ours = entries.stream()
                    .filter(entry -> entry.volume().volumeId().equals(volume.id()))
                    .findFirst();
            if (ours.isEmpty()) {
                session.warn("look for the volume", "not in the list; a list is no consistent cut (R70)");
            } else if (session.facts().has(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES)) {
                publishedNodes(ours.get().status());
            }
        });
    }

    private void publishedNodes(Optional<ExternalVolumeStatus> status) {
        List<ExternalNodeId> nodes =
                status.map(ExternalVolumeStatus::publishedNodeIds).orElse(List.of());
        String names = nodes.stream().map(ExternalNodeId::value).collect(Collectors.joining(", "));
        if (session.facts().nodeId().filter(nodes::contains).isPresent()) {
            session.walk().local("look for the volume", () -> "listed, published to " + names);
        } else {
            session.warn("look for the volume", "listed, but published to [" + names + "], not to this node (R71)");
        }
    }

    void get(CreatedVolume volume) {
        if (!session.offers(ControllerCapability.GET_VOLUME, Rpc.CONTROLLER_GET_VOLUME)) {
            return;
        }
        session.extra(() -> {
            ControllerGetVolumeResponse answer = session.walk()
                    .call(
                            Rpc.CONTROLLER_GET_VOLUME,
                            () -> session.plugin()
                                    .controller()
                                    .controllerGetVolume(ControllerGetVolumeRequest.builder(volume.id())
                                            .build()),
                            found -> found.volume().volumeId()
                                    + Conditions.text(found.status().flatMap(ExternalVolumeStatus::volumeCondition)));
            if (!answer.volume().volumeId().equals(volume.id())) {
                session.warn(
                        "compare",
                        "asked for " + volume.id() + ", got " + answer.volume().volumeId());
            }
        });
    }
}
