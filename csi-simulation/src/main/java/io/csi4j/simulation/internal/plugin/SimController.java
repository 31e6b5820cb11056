package io.csi4j.simulation.internal.plugin;

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
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetSnapshotRequest;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
import io.csi4j.simulation.internal.time.SimLocks;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.Refusal;
import io.csi4j.simulation.internal.world.SimDrift;
import io.csi4j.simulation.internal.world.SimMadeVolumes;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimProvider;
import io.csi4j.simulation.internal.world.SimWorld;
import io.csi4j.simulation.internal.world.VolumeOnNode;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** One instance of the controller service. It performs calls and reports those that the engine must not make. */
public final class SimController {
    private final SimWorld world;
    private final SimProcess process;
    private final CallsInFlight calls;
    private final InstanceKey instance;
    private final SimControllerVolumes volumes;
    private final SimControllerSnapshots snapshots;

    public SimController(SimWorld world, SimProcess process, CallsInFlight calls, InstanceKey instance) {
        this.world = world;
        this.process = process;
        this.calls = calls;
        this.instance = instance;
        this.volumes = new SimControllerVolumes(this, world);
        this.snapshots = new SimControllerSnapshots(this, world);
    }

    /** The service for the engine; calls that the simulation does not need throw an exception. */
    public ControllerService service() {
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
                    case "getCapacity" -> volumes.capacity((GetCapacityRequest) arguments[0]);
                    case "createVolume" -> volumes.create((CreateVolumeRequest) arguments[0]);
                    case "createSnapshot" -> snapshots.create((CreateSnapshotRequest) arguments[0]);
                    case "getSnapshot" -> snapshots.get((GetSnapshotRequest) arguments[0]);
                    case "deleteSnapshot" -> snapshots.delete((DeleteSnapshotRequest) arguments[0]);
                    case "deleteVolume" -> volumes.delete((DeleteVolumeRequest) arguments[0]);
                    default -> throw new UnsupportedOperationException("the simulation has no " + method.getName());
                });
    }

    public GroupControllerService groupService() {
        return snapshots.groups();
    }

    private CompletableFuture<ControllerPublishVolumeResponse> controllerPublishVolume(
            ControllerPublishVolumeRequest request) {
        world.coverage().step(RemainingWork.Kind.CONTROLLER_PUBLISH);
        ExternalVolumeId volume = request.volumeId();
        ExternalNodeId node = request.nodeId();
        checkIntent(Rpc.CONTROLLER_PUBLISH_VOLUME, volume, node, AttachmentState.PUBLISHING);
        SimProvider.Use use = new SimProvider.Use(request.volumeCapability(), request.readonly());
        boolean grouped = request.volumeCapability()
                .mountVolume()
                .filter(mount -> !mount.volumeMountGroup().isEmpty())
                .isPresent();
        if (grouped) {
            world.reportViolation("R61: the group of a mount is sent to the controller with " + volume.value());
        } else {
            checkMatchesIntent(volume, node, use);
        }
        seen(volume).ifPresent(row -> {
            world.made().publishes(row, SimWorld.nodeId(node));
            world.lost().publishes(row);
        });
        return call(Rpc.CONTROLLER_PUBLISH_VOLUME, volume, " on " + node.value(), () -> checkKnown(volume), () -> {
            checkSameUse(volume, node, use);
            checkReachable(volume, node);
            world.provider().attach(volume, node, use);
            VolumeKey key = world.volumes().get(volume.value());
            if (key != null) {
                if (isPresentMachine(node)) {
                    world.drift().published(key, SimWorld.nodeId(node));
                }
            }
            return new ControllerPublishVolumeResponse(
                    PublishContext.of(Map.of("device", volume.value() + "@" + node.value())));
        });
    }

    /** The volume must be reachable from the node (R24), and the node needs a free slot. */
    private void checkReachable(ExternalVolumeId volume, ExternalNodeId node) {
        SimNode target = world.machine(node);
        if (target == null) {
            return;
        }
        if (!world.topology().reaches(target, volume)) {
            world.reportViolation("R24: " + volume.value() + " is published to " + target.id + ", out of reach");
        }
        world.capacity().admit(volume, target);
    }

    /**
     * A volume must not be published with another capability while it is attached to the node (R64), unless an operator
     * once said of the node that it does not use the volume: the use that the node still reports counts then.
     */
    private void checkSameUse(ExternalVolumeId volume, ExternalNodeId node, SimProvider.Use use) {
        VolumeKey key = world.volumes().get(volume.value());
        Optional<SimProvider.Use> before = world.provider().use(volume, node);
        boolean allowed = key != null
                && (world.allowedViolations().allowsAttachment(key, SimWorld.nodeId(node))
                        || world.allowedViolations().everAllowedMount(new VolumeOnNode(key, SimWorld.nodeId(node)))
                        || world.backup().isUnknown(volume.value(), node)
                        || world.drift().isOrphan(key, SimWorld.nodeId(node)));
        if (before.isPresent() && !before.get().equals(use) && !allowed) {
            world.reportViolation("R64: " + volume.value() + " is published to " + node.value() + " as " + use
                    + " while it is " + before.get() + " there");
        }
    }

    private CompletableFuture<Void> controllerUnpublishVolume(ControllerUnpublishVolumeRequest request) {
        world.coverage().step(RemainingWork.Kind.CONTROLLER_UNPUBLISH);
        if (request.nodeId().isEmpty()) {
            world.reportViolation("R66: ControllerUnpublishVolume without a node means all nodes");
        }
        ExternalVolumeId volume = request.volumeId();
        ExternalNodeId node = request.nodeId().orElseThrow();
        if (node.equals(SimDrift.FOREIGN_NODE)) {
            world.reportViolation("R71: " + volume.value() + " is unpublished from a node of another cluster");
        }
        checkIntent(Rpc.CONTROLLER_UNPUBLISH_VOLUME, volume, node, AttachmentState.UNPUBLISHING);
        Runnable check = () -> {
            checkKnown(volume);
            checkNotMounted(volume, node);
        };
        return call(Rpc.CONTROLLER_UNPUBLISH_VOLUME, volume, " on " + node.value(), check, () -> {
            checkNotMounted(volume, node);
            world.provider().detach(volume, node);
            VolumeKey key = world.volumes().get(volume.value());
            if (key != null) {
                if (isPresentMachine(node)) {
                    world.drift().unpublished(key, SimWorld.nodeId(node));
                }
            }
            return null;
        });
    }

    /**
     * Lists the volumes of the provider. The limit of one call in flight for each volume does not apply to this call,
     * because it names no volume.
     */
    private CompletableFuture<ListVolumesResponse> list(ListVolumesRequest request) {
        return call(
                new Subject(Rpc.LIST_VOLUMES, "", "", request.startingToken()),
                () -> {},
                () -> new SimListing(world).page(request));
    }

    /** Returns an answer that comes some time later, unless the process of the caller has ended by then. */
    <R> CompletableFuture<R> late(CompletableFuture<R> answer, Duration delay) {
        CompletableFuture<R> late = new CompletableFuture<>();
        var unused = answer.whenComplete((result, failure) -> world.scheduler()
                .after(
                        delay,
                        () -> process.run(() -> {
                            if (failure == null) {
                                late.complete(result);
                            } else {
                                late.completeExceptionally(failure);
                            }
                        })));
        return late;
    }

    private void checkKnown(ExternalVolumeId volume) {
        if (!world.provider().knows(volume)) {
            throw new Refusal(StatusCode.NOT_FOUND);
        }
    }

    /**
     * The object of a call, with the limits on other calls at the same time.
     *
     * @param exclusive the name under which only one call may be in flight; empty: no limit
     * @param lockName the provider's lock that the call needs; empty: none
     * @param text the name of the object in the trace
     */
    public record Subject(Rpc rpc, String exclusive, String lockName, String text) {}

    /** Performs a call for one volume. */
    public <R> CompletableFuture<R> call(
            Rpc rpc, ExternalVolumeId volume, String where, Runnable check, Supplier<R> effect) {
        if (SimMadeVolumes.isInline(volume)) {
            world.reportViolation("I5: " + rpc.csiName() + " of the inline volume " + volume.value());
        }
        return call(
                new Subject(rpc, "controller service for " + volume.value(), volume.value(), volume.value() + where),
                check,
                effect);
    }

    public <R> CompletableFuture<R> call(Subject subject, Runnable check, Supplier<R> effect) {
        SimCall<R> call =
                new SimCall<>(world, process, subject.rpc, instance.nodeId().value(), subject.text);
        if (!process.begins()) {
            return call.answer();
        }
        world.leaders().calls(process, subject.rpc, call.answer());
        if (!subject.exclusive.isEmpty()) {
            calls.track(subject.exclusive, call.answer());
        }
        world.provedInstances().called(subject.rpc, instance);
        SimNode node = world.node(instance.nodeId());
        if (node == null || !node.answers()) {
            call.fail(StatusCode.UNAVAILABLE, SimCall.DEADLINE);
            return call.answer();
        }
        SimLocks locks =
                subject.lockName.isEmpty() ? new SimLocks() : world.provider().locks();
        call.run(
                new SimCall.Handler(locks, subject.lockName, node::pluginRestarts, node::restartPlugin), check, effect);
        return call.answer();
    }

    /** Returns the volume as the server has read it. */
    Optional<Volume> seen(ExternalVolumeId volume) {
        return world.volume(world.stateOf(process), volume);
    }

    /** Checks that the engine recorded its intent as the state of the attachment before it called the controller. */
    private void checkIntent(Rpc rpc, ExternalVolumeId volume, ExternalNodeId node, AttachmentState intent) {
        Optional<Attachment> attachment = seen(volume)
                .map(Volume::attachments)
                .flatMap(all -> all.on(SimWorld.nodeId(node)))
                .filter(known -> known.externalNodeId().equals(Optional.of(node)));
        if (attachment
                .filter(known -> known.state() == intent || isRepublish(volume, known, intent))
                .isEmpty()) {
            world.reportViolation("I5, I20: " + rpc.csiName() + " of " + volume.value() + " on " + node.value()
                    + " while the attachment is "
                    + attachment.map(known -> known.state().name()).orElse("missing"));
        }
    }

    /** Whether the engine publishes this volume again because its attachment was missing at the provider. */
    private boolean isRepublish(ExternalVolumeId volume, Attachment attachment, AttachmentState intent) {
        VolumeKey key = world.volumes().get(volume.value());
        return key != null
                && intent == AttachmentState.PUBLISHING
                && attachment.state() == AttachmentState.PUBLISHED
                && world.drift().wasMissing(key, attachment.nodeId());
    }

    /**
     * Checks that the call has the capability and the read-only flag that the attachment has in the state, because each
     * attempt must send the same request (R61).
     */
    private void checkMatchesIntent(ExternalVolumeId volume, ExternalNodeId node, SimProvider.Use use) {
        Optional<SimProvider.Use> intent = seen(volume)
                .flatMap(known -> known.attachments().on(SimWorld.nodeId(node)))
                .filter(known -> known.externalNodeId().equals(Optional.of(node)))
                .map(SimProvider.Use::of);
        if (intent.isPresent() && !intent.get().equals(use)) {
            world.reportViolation("R61: " + volume.value() + " is published to " + node.value() + " as " + use
                    + " and the intent is " + intent.get());
        }
    }

    /**
     * A volume must not be detached while it is mounted or staged on the node (R48), unless an operator overrode its claim.
     */
    private void checkNotMounted(ExternalVolumeId volume, ExternalNodeId node) {
        SimNode target = world.machine(node);
        VolumeKey key = Optional.ofNullable(world.volumes().get(volume.value()))
                .flatMap(name -> target == null ? Optional.empty() : target.nameOf(volume, name))
                .orElse(null);
        if (target == null || key == null) {
            return;
        }
        boolean allowed = world.allowedViolations().allowsStaging(key, target.id);
        for (SimNode.Mount mount : target.mounts()) {
            if (mount.volume().equals(key)) {
                allowed |= world.allowedViolations().allowsMount(key, mount.allocationId());
                if (!world.allowedViolations().allowsMount(key, mount.allocationId())) {
                    world.reportViolation("I3: " + volume.value() + " is detached from " + target.id
                            + " while it is mounted there for " + mount.allocationId());
                }
            }
        }
        if (target.isStaged(key) && !allowed) {
            world.reportViolation(
                    "I3: " + volume.value() + " is detached from " + target.id + " while it is staged there");
        }
    }

    /** Returns whether an external id is that of the machine which the node has now: manual attachments are made to it. */
    private boolean isPresentMachine(ExternalNodeId externalNodeId) {
        SimNode node = world.node(SimWorld.nodeId(externalNodeId));
        return node != null && node.externalId.equals(externalNodeId);
    }
}
