package io.csi4j.simulation.internal.plugin;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.simulation.internal.world.Refusal;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimProvider;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The calls of the controller service that create, validate, expand, modify and delete volumes. */
public final class SimControllerVolumes {
    private final SimController controller;
    private final SimWorld world;

    public SimControllerVolumes(SimController controller, SimWorld world) {
        this.controller = controller;
        this.world = world;
    }

    public CompletableFuture<CreateVolumeResponse> create(CreateVolumeRequest request) {
        world.coverage().step(RemainingWork.Kind.CREATE_VOLUME);
        world.namedRequests()
                .arrived(
                        Rpc.CREATE_VOLUME.csiName(),
                        request.name(),
                        List.of(
                                request.volumeCapabilities(),
                                request.capacityRange(),
                                request.parameters(),
                                request.volumeContentSource(),
                                request.accessibilityRequirements(),
                                request.mutableParameters()));
        Optional<Volume> intended = world.store().snapshot().volumes(VolumeQuery.all()).items().stream()
                .filter(volume ->
                        volume.phase() != VolumePhase.AVAILABLE && volume.name().equals(request.name()))
                .findFirst();
        if (intended.isEmpty()) {
            world.reportViolation("I5: CreateVolume of " + request.name() + " without an intent");
        } else {
            if (!intended.get().spec().accessibilityRequirements().equals(request.accessibilityRequirements())) {
                world.reportViolation("R53: CreateVolume of " + request.name() + " asks for "
                        + request.accessibilityRequirements() + ", and the intent is "
                        + intended.get().spec().accessibilityRequirements());
            }
            world.mapExternalId(intended.get().key(), SimProvider.idOf(request.name()));
        }
        ExternalVolumeId id = SimProvider.idOf(request.name());
        return controller.call(Rpc.CREATE_VOLUME, id, "", SimControllerVolumes::noCheck, () -> {
            List<Topology> zones = topology(id, request);
            ExternalVolume.Builder answer = ExternalVolume.builder(
                            world.provider().create(request.name()))
                    .accessibleTopology(zones);
            request.capacityRange()
                    .ifPresent(range -> answer.capacityBytes(world.made().sizeOf(id, range.requiredBytes())));
            return new CreateVolumeResponse(answer.build());
        });
    }

    private List<Topology> topology(ExternalVolumeId id, CreateVolumeRequest request) {
        boolean wrongTopology = world.faults().wrongTopology()
                && request.accessibilityRequirements()
                        .filter(change ->
                                change.requisite().size() == 1 || world.made().isMade(request.name()))
                        .isPresent();
        if (wrongTopology) {
            world.coverage().fault("volume created in wrong topology");
        }
        long bytes = request.capacityRange().map(CapacityRange::requiredBytes).orElse(0L);
        return world.topology().create(id, request.accessibilityRequirements(), bytes, wrongTopology);
    }

    public CompletableFuture<GetCapacityResponse> capacity(GetCapacityRequest request) {
        String zone = request.accessibleTopology().map(Topology::toString).orElse("all zones");
        world.coverage().operation("ask for capacity");
        CompletableFuture<GetCapacityResponse> answer = controller.call(
                new SimController.Subject(Rpc.GET_CAPACITY, "", "", zone),
                SimControllerVolumes::noCheck,
                () -> new GetCapacityResponse(
                        world.made().reported(zone, world.topology().available(request.accessibleTopology())),
                        Optional.empty(),
                        Optional.empty()));
        return world.made()
                .capacityDelay()
                .map(delay -> controller.late(answer, delay))
                .orElse(answer);
    }

    public CompletableFuture<Void> delete(DeleteVolumeRequest request) {
        world.coverage().step(RemainingWork.Kind.DELETE_VOLUME);
        ExternalVolumeId id = request.volumeId();
        Optional<Volume> row = world.volume(id);
        if (row.filter(volume -> volume.phase() == VolumePhase.DELETING).isEmpty()) {
            world.reportViolation("I5: DeleteVolume of " + id.value() + " without an intent");
        }
        row.ifPresent(world.made()::deletes);
        return controller.call(Rpc.DELETE_VOLUME, id, "", SimControllerVolumes::noCheck, () -> {
            checkDetached(id);
            world.volume(id).ifPresent(world.made()::deletes);
            world.provider().delete(id);
            if (!world.provider().knows(id)) {
                world.topology().forget(id);
            }
            return null;
        });
    }

    /**
     * A volume must be detached from all nodes before it is deleted (R59); the provider would refuse it otherwise.
     */
    private void checkDetached(ExternalVolumeId id) {
        VolumeKey key = world.volumes().get(id.value());
        for (SimNode node : world.machines()) {
            if (world.provider().isAttached(id, node.externalId)) {
                if (key == null
                        || !(world.allowedViolations().allowsAttachment(key, node.id)
                                || world.backup().wasUnknown(id, node.id))) {
                    world.reportViolation("R59: " + id.value() + " is deleted while it is attached to " + node.id);
                }
                throw new Refusal(StatusCode.FAILED_PRECONDITION);
            }
        }
    }

    public CompletableFuture<ValidateVolumeCapabilitiesResponse> validate(ValidateVolumeCapabilitiesRequest request) {
        if (world.volume(request.volumeId()).filter(Volume::toBeVerified).isPresent()) {
            world.coverage().step(RemainingWork.Kind.VERIFY_VOLUME);
        }
        return controller.call(
                Rpc.VALIDATE_VOLUME_CAPABILITIES, request.volumeId(), "", SimControllerVolumes::noCheck, () -> {
                    if (world.lost().denies(request.volumeId())) {
                        throw new Refusal(StatusCode.NOT_FOUND);
                    }
                    VolumeKey key = world.volumes().get(request.volumeId().value());
                    if (!world.provider().knows(request.volumeId())
                            || (key != null && world.lost().isMissing(key))) {
                        throw new Refusal(StatusCode.NOT_FOUND);
                    }
                    return new ValidateVolumeCapabilitiesResponse(
                            Optional.of(new ValidateVolumeCapabilitiesResponse.Confirmed(
                                    request.volumeContext(),
                                    request.volumeCapabilities(),
                                    request.parameters(),
                                    request.mutableParameters())),
                            "");
                });
    }

    public CompletableFuture<ControllerExpandVolumeResponse> expand(ControllerExpandVolumeRequest request) {
        world.coverage().step(RemainingWork.Kind.EXPAND_VOLUME);
        ExternalVolumeId id = request.volumeId();
        boolean requested = controller
                .seen(id)
                .flatMap(Volume::expansion)
                .filter(change -> change.stage() == Expansion.Stage.CONTROLLER
                        && change.range().equals(request.capacityRange()))
                .isPresent();
        if (!requested) {
            world.reportViolation("I5: ControllerExpandVolume of " + id.value() + " without a requested change");
        }
        return controller.call(
                Rpc.CONTROLLER_EXPAND_VOLUME,
                id,
                " to " + request.capacityRange().requiredBytes(),
                () -> {
                    checkKnown(id);
                    checkOffline(request);
                },
                () -> {
                    checkOffline(request);
                    world.topology().expand(id, request.capacityRange().requiredBytes());
                    return new ControllerExpandVolumeResponse(
                            world.provider().expand(id, request.capacityRange().requiredBytes()), true);
                });
    }

    /** A volume must not be in use during its expansion, if the plugin expands offline only (R82). */
    private void checkOffline(ControllerExpandVolumeRequest request) {
        boolean offlineOnly = world.store()
                .snapshot()
                .facts(SimVolumes.ATTACHING)
                .filter(PluginFacts::expandsOfflineOnly)
                .isPresent();
        boolean inUse = world.volume(request.volumeId())
                .filter(volume -> volume.toBeExpanded() && inUse(volume))
                .flatMap(Volume::expansion)
                .filter(change -> change.range().equals(request.capacityRange()))
                .isPresent();
        if (offlineOnly && inUse) {
            world.reportViolation("R82: " + request.volumeId().value() + " is expanded while it is in use");
        }
    }

    /**
     * Whether the volume has a claim or an attachment. Attachments that the engine found at the provider do not count, because
     * the engine may record them during an expansion.
     */
    private boolean inUse(Volume volume) {
        boolean inUse = !volume.claims().isEmpty();
        for (Attachment attachment : volume.attachments()) {
            inUse |= !world.drift().mayBeRecordedAsOrphan(volume.key(), attachment.nodeId());
        }
        return inUse;
    }

    public CompletableFuture<Void> modify(ControllerModifyVolumeRequest request) {
        world.coverage().step(RemainingWork.Kind.MODIFY_VOLUME);
        ExternalVolumeId id = request.volumeId();
        Map<String, String> changes = request.mutableParameters();
        boolean requested = controller
                .seen(id)
                .flatMap(Volume::modification)
                .filter(change -> change.changes().equals(changes))
                .isPresent();
        if (!requested) {
            world.reportViolation("I5: ControllerModifyVolume of " + id.value() + " without a requested change");
        }
        return controller.call(Rpc.CONTROLLER_MODIFY_VOLUME, id, " to " + changes, () -> checkKnown(id), () -> {
            world.provider().modify(id, changes);
            return null;
        });
    }

    private void checkKnown(ExternalVolumeId id) {
        if (!world.provider().knows(id)) {
            throw new Refusal(StatusCode.NOT_FOUND);
        }
    }

    /** Does nothing; serves as the check of calls that need no check. */
    private static void noCheck() {}
}
