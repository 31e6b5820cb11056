package io.csi4j.simulation;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.GetSnapshotRequest;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
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
    private final SimControllerVolumes volumes;
    private final SimControllerCuts cuts;

    SimController(SimWorld world, SimProcess process, CallsInFlight calls, InstanceKey instance) {
        this.world = world;
        this.process = process;
        this.calls = calls;
        this.instance = instance;
        this.volumes = new SimControllerVolumes(this, world);
        this.cuts = new SimControllerCuts(this, world);
    }

    /** As the service it is; what the simulation does not need is refused as a plugin refuses it. */
    ControllerService service() {
        return (ControllerService) Proxy.newProxyInstance(
                ControllerService.class.getClassLoader(),
                new Class<?>[] {ControllerService.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "controllerPublishVolume" ->
                        controllerPublishVolume((ControllerPublishVolumeRequest) arguments[0]);
                    case "controllerUnpublishVolume" ->
                        controllerUnpublishVolume((ControllerUnpublishVolumeRequest) arguments[0]);
                    case "listVolumes" -> list((ListVolumesRequest) arguments[0]);
                    case "validateVolumeCapabilities" ->
                        volumes.validate((ValidateVolumeCapabilitiesRequest) arguments[0]);
                    case "controllerExpandVolume" -> volumes.expand((ControllerExpandVolumeRequest) arguments[0]);
                    case "controllerModifyVolume" -> volumes.modify((ControllerModifyVolumeRequest) arguments[0]);
                    case "createVolume" -> volumes.create((CreateVolumeRequest) arguments[0]);
                    case "createSnapshot" -> cuts.create((CreateSnapshotRequest) arguments[0]);
                    case "getSnapshot" -> cuts.get((GetSnapshotRequest) arguments[0]);
                    case "deleteSnapshot" -> cuts.delete((DeleteSnapshotRequest) arguments[0]);
                    case "deleteVolume" -> volumes.delete((DeleteVolumeRequest) arguments[0]);
                    default -> throw new UnsupportedOperationException("the simulation has no " + method.getName());
                });
    }

    GroupControllerService groups() {
        return cuts.groups();
    }

    private CompletableFuture<ControllerPublishVolumeResponse> controllerPublishVolume(
            ControllerPublishVolumeRequest request) {
        world.coverage().step(RemainingWork.Kind.CONTROLLER_PUBLISH);
        ExternalVolumeId volume = request.volumeId();
        ExternalNodeId node = request.nodeId();
        intended(Rpc.CONTROLLER_PUBLISH_VOLUME, volume, node, AttachmentState.PUBLISHING);
        SimProvider.Use use = new SimProvider.Use(request.volumeCapability(), request.readonly());
        asIntended(volume, node, use);
        return call(Rpc.CONTROLLER_PUBLISH_VOLUME, volume, " on " + node.value(), () -> known(volume), () -> {
            otherwise(volume, node, use);
            reach(volume, node);
            world.provider().attach(volume, node, use);
            VolumeKey key = world.volumes().get(volume.value());
            if (key != null) {
                world.drift().published(key, SimWorld.nodeId(node));
            }
            return new ControllerPublishVolumeResponse(
                    PublishContext.of(Map.of("device", volume.value() + "@" + node.value())));
        });
    }

    /** Nobody asks for it where it cannot be reached (R24); and there may be no room. */
    private void reach(ExternalVolumeId volume, ExternalNodeId node) {
        SimNode there = world.node(SimWorld.nodeId(node));
        if (there == null) {
            return;
        }
        if (!world.places().reaches(there, volume)) {
            world.violated("R24: " + volume.value() + " is published to " + there.id + ", out of reach");
        }
        world.room().enter(volume, there);
    }

    /** Nobody asks for it in another way while it is attached in one (R64). */
    private void otherwise(ExternalVolumeId volume, ExternalNodeId node, SimProvider.Use use) {
        VolumeKey key = world.volumes().get(volume.value());
        Optional<SimProvider.Use> before = world.provider().use(volume, node);
        boolean excused = key != null
                && (world.excuses().attachment(key, SimWorld.nodeId(node))
                        || world.drift().isStray(key, SimWorld.nodeId(node)));
        if (before.isPresent() && !before.get().equals(use) && !excused) {
            world.violated("R64: " + volume.value() + " is published to " + node.value() + " as " + use
                    + " while it is " + before.get() + " there");
        }
    }

    private CompletableFuture<Void> controllerUnpublishVolume(ControllerUnpublishVolumeRequest request) {
        world.coverage().step(RemainingWork.Kind.CONTROLLER_UNPUBLISH);
        if (request.nodeId().isEmpty()) {
            world.violated("R66: ControllerUnpublishVolume without a node means all nodes");
        }
        ExternalVolumeId volume = request.volumeId();
        ExternalNodeId node = request.nodeId().orElseThrow();
        if (node.equals(SimDrift.ELSEWHERE)) {
            world.violated("R71: " + volume.value() + " is unpublished from a node of another cluster");
        }
        intended(Rpc.CONTROLLER_UNPUBLISH_VOLUME, volume, node, AttachmentState.UNPUBLISHING);
        Runnable begin = () -> {
            known(volume);
            mounted(volume, node);
        };
        return call(Rpc.CONTROLLER_UNPUBLISH_VOLUME, volume, " on " + node.value(), begin, () -> {
            mounted(volume, node);
            world.provider().detach(volume, node);
            VolumeKey key = world.volumes().get(volume.value());
            if (key != null) {
                world.drift().unpublished(key, SimWorld.nodeId(node));
            }
            return null;
        });
    }

    /** About no volume: it does not count as a call for one. */
    private CompletableFuture<ListVolumesResponse> list(ListVolumesRequest request) {
        return call(
                new Subject(Rpc.LIST_VOLUMES, "", "", request.startingToken()),
                () -> {},
                () -> new SimListing(world).page(request));
    }

    private void known(ExternalVolumeId volume) {
        if (!world.provider().knows(volume)) {
            throw new SimCall.Refusal(StatusCode.NOT_FOUND);
        }
    }

    /**
     * What a call is about.
     *
     * @param alone of what there is one call in flight; empty: there may be any number
     * @param turn of what the provider works on one call at a time; empty: it does not matter
     * @param text for the trace
     */
    record Subject(Rpc rpc, String alone, String turn, String text) {}

    /** One call about a volume. */
    <R> CompletableFuture<R> call(Rpc rpc, ExternalVolumeId volume, String where, Runnable begin, Supplier<R> effect) {
        return call(
                new Subject(rpc, "controller service for " + volume.value(), volume.value(), volume.value() + where),
                begin,
                effect);
    }

    <R> CompletableFuture<R> call(Subject subject, Runnable begin, Supplier<R> effect) {
        SimCall<R> call =
                new SimCall<>(world, process, subject.rpc, instance.nodeId().value(), subject.text);
        if (!subject.alone.isEmpty()) {
            calls.track(subject.alone, call.answer());
        }
        SimNode node = world.node(instance.nodeId());
        if (node == null || !node.answers()) {
            call.fail(StatusCode.UNAVAILABLE, SimCall.DEADLINE);
            return call.answer();
        }
        SimTurns turns =
                subject.turn.isEmpty() ? new SimTurns() : world.provider().turns();
        call.run(new SimCall.Worker(turns, subject.turn, node::plugins), begin, effect);
        return call.answer();
    }

    /** The intent is in the log before the call. */
    private void intended(Rpc rpc, ExternalVolumeId volume, ExternalNodeId node, AttachmentState intent) {
        Optional<Attachment> attachment =
                world.volume(volume).map(Volume::attachments).flatMap(all -> all.on(SimWorld.nodeId(node)));
        if (attachment
                .filter(known -> known.state() == intent || again(volume, known, intent))
                .isEmpty()) {
            world.violated("I5: " + rpc.csiName() + " of " + volume.value() + " on " + node.value()
                    + " while the attachment is "
                    + attachment.map(known -> known.state().name()).orElse("not there"));
        }
    }

    /** What is published is published again if it was missing at the provider. */
    private boolean again(ExternalVolumeId volume, Attachment attachment, AttachmentState intent) {
        VolumeKey key = world.volumes().get(volume.value());
        return key != null
                && intent == AttachmentState.PUBLISHING
                && attachment.state() == AttachmentState.PUBLISHED
                && world.drift().wasMissing(key, attachment.nodeId());
    }

    /** The request is that of the intent, each time (R61). */
    private void asIntended(ExternalVolumeId volume, ExternalNodeId node, SimProvider.Use use) {
        Optional<SimProvider.Use> intent = world.volume(volume)
                .flatMap(known -> known.attachments().on(SimWorld.nodeId(node)))
                .map(SimProvider.Use::of);
        if (intent.isPresent() && !intent.get().equals(use)) {
            world.violated("R61: " + volume.value() + " is published to " + node.value() + " as " + use
                    + " and the intent is " + intent.get());
        }
    }

    /** Nothing is detached under a mount, or a staging path (R48), unless an operator gave a word for it. */
    private void mounted(ExternalVolumeId volume, ExternalNodeId node) {
        SimNode there = world.node(SimWorld.nodeId(node));
        VolumeKey key = world.volumes().get(volume.value());
        if (there == null || key == null) {
            return;
        }
        boolean excused = false;
        for (SimNode.Mount mount : there.mounts()) {
            if (mount.volume().equals(key)) {
                excused |= world.excuses().mount(key, mount.allocationId());
                if (!world.excuses().mount(key, mount.allocationId())) {
                    world.violated("I3: " + volume.value() + " is detached from " + there.id
                            + " while it is mounted there for " + mount.allocationId());
                }
            }
        }
        if (there.isStaged(key) && !excused) {
            world.violated("I3: " + volume.value() + " is detached from " + there.id + " while it is staged there");
        }
    }
}
