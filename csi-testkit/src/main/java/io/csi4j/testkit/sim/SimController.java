package io.csi4j.testkit.sim;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.ControllerUnpublishVolumeResponse;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeResponse;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** One instance of the controller service. It does what it is told, and says so when it should not have been told. */
final class SimController {
    private final SimWorld world;
    private final SimProcess process;
    private final CallsInFlight calls;
    private final InstanceKey instance;

    SimController(SimWorld world, SimProcess process, CallsInFlight calls, InstanceKey instance) {
        this.world = world;
        this.process = process;
        this.calls = calls;
        this.instance = instance;
    }

    /** As the service it is; what the simulation does not need is refused as a plugin refuses it. */
    ControllerService service(Planted planted) {
        return (ControllerService) Proxy.newProxyInstance(
                ControllerService.class.getClassLoader(),
                new Class<?>[] {ControllerService.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "controllerPublishVolume" ->
                        controllerPublishVolume((ControllerPublishVolumeRequest) arguments[0]);
                    case "controllerUnpublishVolume" ->
                        planted.forgiving(
                                false,
                                controllerUnpublishVolume((ControllerUnpublishVolumeRequest) arguments[0]),
                                ControllerUnpublishVolumeResponse.of());
                    case "createVolume" -> create((CreateVolumeRequest) arguments[0]);
                    case "deleteVolume" -> delete((DeleteVolumeRequest) arguments[0]);
                    default -> throw new UnsupportedOperationException("the simulation has no " + method.getName());
                });
    }

    private CompletableFuture<ControllerPublishVolumeResponse> controllerPublishVolume(
            ControllerPublishVolumeRequest request) {
        return call(
                Rpc.CONTROLLER_PUBLISH_VOLUME, request.volumeId(), request.nodeId(), AttachmentState.PUBLISHING, () -> {
                    if (!world.provider().attach(request.volumeId(), request.nodeId())) {
                        throw new SimCall.Refusal(StatusCode.FAILED_PRECONDITION);
                    }
                    return ControllerPublishVolumeResponse.builder()
                            .publishContext(PublishContext.of(Map.of(
                                    "device",
                                    request.volumeId().value() + "@"
                                            + request.nodeId().value())))
                            .build();
                });
    }

    private CompletableFuture<ControllerUnpublishVolumeResponse> controllerUnpublishVolume(
            ControllerUnpublishVolumeRequest request) {
        if (request.nodeId().isEmpty()) {
            world.violated("R66: ControllerUnpublishVolume without a node means all nodes");
        }
        ExternalNodeId node = request.nodeId().orElseThrow();
        return call(Rpc.CONTROLLER_UNPUBLISH_VOLUME, request.volumeId(), node, AttachmentState.UNPUBLISHING, () -> {
            mounted(request.volumeId(), node);
            world.provider().detach(request.volumeId(), node);
            return ControllerUnpublishVolumeResponse.of();
        });
    }

    private CompletableFuture<CreateVolumeResponse> create(CreateVolumeRequest request) {
        boolean intended = world.store().snapshot().volumes(VolumeQuery.all()).items().stream()
                .anyMatch(volume ->
                        volume.phase() == VolumePhase.CREATING && volume.name().equals(request.name()));
        if (!intended) {
            world.violated("I5: CreateVolume of " + request.name() + " without an intent");
        }
        return serial(
                Rpc.CREATE_VOLUME,
                ExternalVolumeId.of(request.name()),
                () -> CreateVolumeResponse.builder(
                                ExternalVolume.builder(world.provider().make(request.name()))
                                        .build())
                        .build());
    }

    private CompletableFuture<DeleteVolumeResponse> delete(DeleteVolumeRequest request) {
        return serial(Rpc.DELETE_VOLUME, request.volumeId(), () -> {
            world.provider().delete(request.volumeId());
            return DeleteVolumeResponse.of();
        });
    }

    /** A call about the volume as a whole. */
    private <R> CompletableFuture<R> serial(Rpc rpc, ExternalVolumeId subject, Supplier<R> effect) {
        SimCall<R> call = new SimCall<>(world, process, rpc, instance.nodeId().value(), subject.value());
        calls.track("controller service for " + subject, call.answer());
        SimNode where = world.node(instance.nodeId());
        if (where == null || !where.answers()) {
            call.fail(StatusCode.UNAVAILABLE, SimCall.DEADLINE);
            return call.answer();
        }
        call.run(
                () -> {
                    if (world.provider().busy(subject)) {
                        throw new SimCall.Refusal(StatusCode.ABORTED);
                    }
                    world.provider().begin(subject);
                },
                effect,
                () -> world.provider().end(subject));
        return call.answer();
    }

    private <R> CompletableFuture<R> call(
            Rpc rpc, ExternalVolumeId volume, ExternalNodeId node, AttachmentState intent, Supplier<R> effect) {
        SimCall<R> call =
                new SimCall<>(world, process, rpc, instance.nodeId().value(), volume.value() + " on " + node.value());
        calls.track("controller service for " + volume.value(), call.answer());
        SimNode where = world.node(instance.nodeId());
        if (where == null || !where.answers()) {
            call.fail(StatusCode.UNAVAILABLE, SimCall.DEADLINE);
            return call.answer();
        }
        intended(rpc, volume, node, intent);
        call.run(
                () -> {
                    if (!world.provider().knows(volume)) {
                        throw new SimCall.Refusal(StatusCode.NOT_FOUND);
                    }
                    if (world.provider().busy(volume)) {
                        throw new SimCall.Refusal(StatusCode.ABORTED);
                    }
                    world.provider().begin(volume);
                    if (rpc == Rpc.CONTROLLER_UNPUBLISH_VOLUME) {
                        mounted(volume, node);
                    }
                },
                effect,
                () -> world.provider().end(volume));
        return call.answer();
    }

    /** The intent is in the log before the call (I5). */
    private void intended(Rpc rpc, ExternalVolumeId volume, ExternalNodeId node, AttachmentState intent) {
        Optional<Attachment> attachment =
                world.volume(volume).map(Volume::attachments).flatMap(all -> all.on(SimWorld.nodeId(node)));
        if (attachment.filter(known -> known.state() == intent).isEmpty()) {
            world.violated("I5: " + rpc.csiName() + " of " + volume.value() + " on " + node.value()
                    + " while the attachment is "
                    + attachment.map(known -> known.state().name()).orElse("not there"));
        }
    }

    /** Nothing is detached under a mount (I3, R48). */
    private void mounted(ExternalVolumeId volume, ExternalNodeId node) {
        SimNode there = world.node(SimWorld.nodeId(node));
        Optional<Volume> known = world.volume(volume);
        if (there != null && known.isPresent() && there.hasMounted(known.get().key())) {
            world.violated("I3: " + volume.value() + " is detached from " + there.id + " while it is mounted there");
        }
    }
}
