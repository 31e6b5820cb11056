package io.csi4j.simulation.internal.node;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import io.csi4j.core.rpc.NodeExpandVolumeResponse;
import io.csi4j.core.rpc.NodeGetCapabilitiesResponse;
import io.csi4j.core.rpc.NodeGetInfoResponse;
import io.csi4j.core.rpc.NodeGetStorageHealthRequest;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthRequest;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.simulation.internal.plugin.CallsInFlight;
import io.csi4j.simulation.internal.plugin.SimCall;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.Refusal;
import io.csi4j.simulation.internal.world.SimMadeVolumes;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A node plugin as one agent process calls it. It mounts, and reports calls that the agent must not make. */
final class SimNodePlugin implements NodeService {
    static final CapabilitySet<NodeCapability> CAPABILITIES = CapabilitySet.of(
            NodeCapability.class,
            List.of(
                    NodeCapability.STAGE_UNSTAGE_VOLUME,
                    NodeCapability.EXPAND_VOLUME,
                    NodeCapability.SINGLE_NODE_MULTI_WRITER));

    private static final VolumeKey UNKNOWN = VolumeKey.of("unknown", "unknown");
    private static final char NUMBERED = '~';
    private static final String WORKLOAD = "csi.storage.k8s.io/pod.name";
    private static final String EPHEMERAL = "csi.storage.k8s.io/ephemeral";

    private final SimWorld world;
    private final SimKernel kernel;
    private final SimNode node;
    private final SimProcess agent;
    private final CallsInFlight calls;
    private final PluginId plugin;

    SimNodePlugin(SimWorld world, SimKernel kernel, SimProcess agent, CallsInFlight calls, PluginId plugin) {
        this.world = world;
        this.kernel = kernel;
        this.node = kernel.node();
        this.agent = agent;
        this.calls = calls;
        this.plugin = plugin;
    }

    private <R> CompletableFuture<R> call(Rpc rpc, ExternalVolumeId volume, String path, Supplier<R> effect) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        SimCall<R> call = new SimCall<>(
                world, agent, rpc, "agent of " + node.id, "plugin of " + node.id, volume.value() + " at " + name);
        if (!agent.begins()) {
            return call.answer();
        }
        kernel.renewals().begins(agent, call.answer());
        calls.trackOnly("node plugin " + plugin + " on " + node.id + " for " + volume.value(), call.answer());
        call.run(
                new SimCall.Handler(kernel.locks(), volume.value(), kernel::pluginStarts, node::restartPlugin),
                () -> {},
                effect);
        return call.answer();
    }

    private Optional<VolumeKey> key(ExternalVolumeId volume) {
        return Optional.ofNullable(world.volumes().get(volume.value())).flatMap(key -> node.nameOf(volume, key));
    }

    /** Returns the name under which the node makes a volume available; one that it has keeps its name. */
    private Optional<VolumeKey> name(ExternalVolumeId volume) {
        VolumeKey key = world.volumes().get(volume.value());
        if (key != null) {
            node.name(volume, key);
        }
        return key(volume);
    }

    @Override
    public CompletableFuture<Void> nodeStageVolume(NodeStageVolumeRequest request) {
        String path = request.stagingTargetPath();
        if (agent.alive() && SimMadeVolumes.isInline(request.volumeId())) {
            world.reportViolation("R47: the inline volume " + request.volumeId().value() + " is staged on " + node.id);
        }
        if (agent.alive() && !kernel.disk().isDirectory(path)) {
            world.reportViolation("R85: " + path + " on " + node.id + " is no directory, and is staged to");
        }
        if (agent.alive()) {
            kernel.labels().stages(request);
        }
        return call(Rpc.NODE_STAGE_VOLUME, request.volumeId(), path, () -> {
            requireAttached(request.volumeId());
            checkContext(request.volumeId(), request.publishContext());
            requireDirectory(path);
            boolean otherPath = kernel.mountPoints().stream()
                    .anyMatch(point -> !point.equals(path) && parent(point).equals(parent(path)));
            if (otherPath) {
                world.reportViolation("R85: " + request.volumeId().value() + " is staged at two paths on " + node.id);
            }
            kernel.stage(request);
            name(request.volumeId()).ifPresent(node::stage);
            return null;
        });
    }

    private static String parent(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }

    /** Fails the call if the volume is not attached, because it then has no device on the node. */
    private void requireAttached(ExternalVolumeId volume) {
        boolean attached = key(volume).filter(SimVolumes::attaches).isEmpty()
                || world.provider().isAttached(volume, node.externalId);
        if (!attached) {
            throw new Refusal(StatusCode.FAILED_PRECONDITION);
        }
    }

    private void checkContext(ExternalVolumeId volume, PublishContext context) {
        boolean attaches = key(volume).filter(SimVolumes::attaches).isPresent();
        PublishContext expected = attaches
                ? PublishContext.of(Map.of("device", volume.value() + "@" + node.externalId.value()))
                : PublishContext.empty();
        if (!context.equals(expected)) {
            world.reportViolation(
                    "R61: " + volume.value() + " is mounted on " + node.id + " without the context of its publication");
        }
    }

    @Override
    public CompletableFuture<Void> nodePublishVolume(NodePublishVolumeRequest request) {
        String path = request.targetPath();
        boolean inline = SimMadeVolumes.isInline(request.volumeId());
        SimNode.Mount mount = new SimNode.Mount(key(request.volumeId()).orElse(UNKNOWN), allocation(path));
        RepublishOptions republish = republish();
        if (agent.alive()) {
            checkWorkloadInfo(request);
            kernel.renewals().publishes(request, mount, republish);
            kernel.labels().publishes(request, mount);
        }
        if (agent.alive() && inline) {
            checkInline(request);
        } else if (agent.alive() && !isStaged(request)) {
            world.reportViolation("R47: " + request.volumeId().value() + " is published on " + node.id
                    + " and not staged at its staging path");
        }
        if (agent.alive() && !kernel.disk().isDirectory(parent(path))) {
            world.reportViolation("R88: the parent of " + path + " on " + node.id + " does not exist");
        }
        CompletableFuture<Void> answer = call(Rpc.NODE_PUBLISH_VOLUME, request.volumeId(), path, () -> {
            boolean again = kernel.isMounted(path);
            if (!inline && !isStaged(request)) {
                throw new Refusal(StatusCode.FAILED_PRECONDITION);
            }
            checkContext(request.volumeId(), request.publishContext());
            requireDirectory(parent(path));
            kernel.disk().plugIn(path, !request.volumeCapability().isBlock());
            if (inline) {
                world.coverage().operation("publish an inline volume");
                kernel.publishInline(request, isEven(request.volumeId()));
            } else {
                kernel.publish(request);
            }
            name(request.volumeId()).ifPresent(key -> {
                SimNode.Mount made = new SimNode.Mount(key, allocation(path));
                published(request, made);
                if (again) {
                    kernel.renewals().changeMount(made, path, republish);
                }
            });
            return null;
        });
        return answer.whenComplete((nothing, failure) -> {
            if (failure == null) {
                kernel.renewals().published(agent, mount, path, republish);
            }
        });
    }

    /** Returns how the profile of the plugin says that volumes are published again. */
    private RepublishOptions republish() {
        return world.store()
                .snapshot()
                .pluginProfile(plugin)
                .map(PluginProfile::republish)
                .orElse(RepublishOptions.none());
    }

    /** Chooses one of two kinds of plugins by the volume, so that all calls for it meet the same kind. */
    private static boolean isEven(ExternalVolumeId volume) {
        return volume.value().hashCode() % 2 == 0;
    }

    /** An inline volume has no staging; its context has the attributes of the claim, and the mark if its class says so. */
    private void checkInline(NodePublishVolumeRequest request) {
        String volume = request.volumeId().value() + " on " + node.id;
        Map<String, String> context = request.volumeContext().asMap();
        if (request.stagingTargetPath().isPresent()) {
            world.reportViolation("R47: the inline volume " + volume + " is published from a staging path");
        }
        boolean marked = "true".equals(context.get(EPHEMERAL));
        if (marked != (plugin.equals(SimVolumes.ATTACHING) || informs())
                || !context.containsKey(SimMadeVolumes.ATTRIBUTE)) {
            world.reportViolation("R57: the inline volume " + volume + " is published with " + context);
        }
        NodePublishVolumeRequest before = kernel.inline(request.targetPath());
        if (before != null
                && before.volumeId().equals(request.volumeId())
                && !SimRenewals.withoutTokens(before).equals(SimRenewals.withoutTokens(request))) {
            world.reportViolation("R29: the inline volume " + volume + " is published again with other fields");
        }
    }

    /** Whether the profile of the plugin says that its NodePublishVolume names the workload. */
    private boolean informs() {
        return world.store()
                .snapshot()
                .pluginProfile(plugin)
                .filter(PluginProfile::workloadInfo)
                .isPresent();
    }

    private void checkWorkloadInfo(NodePublishVolumeRequest request) {
        String workload = request.volumeContext().asMap().get(WORKLOAD);
        String expected = informs() ? allocation(request.targetPath()).value() : null;
        if (!Objects.equals(workload, expected)) {
            world.reportViolation("R57: " + request.volumeId().value() + " on " + node.id
                    + " is published for the workload " + workload + " instead of " + expected);
        }
    }

    private boolean isStaged(NodePublishVolumeRequest request) {
        return request.stagingTargetPath().filter(kernel::isMounted).isPresent();
    }

    /** Fails the call if the directory is missing, because the agent may have removed it in the meantime. */
    private void requireDirectory(String path) {
        if (!kernel.disk().isDirectory(path)) {
            throw new Refusal(StatusCode.INTERNAL);
        }
    }

    /** Returns the allocation of a target. All but the first target of an allocation have a number after its id. */
    static AllocationId allocation(String targetPath) {
        String name = targetPath.substring(targetPath.lastIndexOf('/') + 1);
        int number = name.indexOf(NUMBERED);
        return AllocationId.of(number < 0 ? name : name.substring(0, number));
    }

    private void published(NodePublishVolumeRequest request, SimNode.Mount mount) {
        node.publish(
                mount,
                request.volumeCapability().isBlock() ? AttachmentMode.BLOCK : AttachmentMode.MOUNT,
                request.targetPath());
        boolean reads =
                claim(mount).filter(claim -> claim.mode() == ClaimMode.READ).isPresent();
        if (reads && !request.readonly()) {
            world.reportViolation("R89: " + mount.volume() + " is writable on " + node.id + " for "
                    + mount.allocationId() + ", which claims to read");
        }
    }

    private Optional<Claim> claim(SimNode.Mount mount) {
        return world.volumeOn(world.store().snapshot(), node, mount.volume())
                .flatMap(volume -> volume.claims().get(mount.allocationId()));
    }

    @Override
    public CompletableFuture<Void> nodeUnpublishVolume(NodeUnpublishVolumeRequest request) {
        String path = request.targetPath();
        if (agent.alive() && kernel.isChanging(path)) {
            world.reportViolation("I16: a target is unpublished while its files are changed: " + path);
        }
        if (agent.alive()) {
            key(request.volumeId())
                    .ifPresent(key -> kernel.renewals().unmounts(path, new SimNode.Mount(key, allocation(path))));
        }
        return call(Rpc.NODE_UNPUBLISH_VOLUME, request.volumeId(), path, () -> {
            Optional<SimNode.Mount> mount =
                    key(request.volumeId()).map(key -> new SimNode.Mount(key, allocation(path)));
            mount.filter(node.mounts()::contains).ifPresent(mounted -> checkNotInUse(mounted, path));
            boolean mounted = kernel.isMounted(path);
            kernel.unmount(path);
            kernel.disk().unplug(path);
            mount.ifPresent(kernel::noLongerUsed);
            mount.ifPresent(known -> node.unpublish(known, path));
            if (SimMadeVolumes.isInline(request.volumeId())) {
                unpublishInline(request.volumeId(), path, mounted);
            }
            return null;
        });
    }

    /** Some plugins answer NOT_FOUND if there is nothing to remove. */
    private void unpublishInline(ExternalVolumeId volume, String path, boolean mounted) {
        boolean found = kernel.removeInline(path);
        if (found && !mounted) {
            world.coverage().fault("inline volume removed without a mount");
        }
        if (!found && !isEven(volume)) {
            throw new Refusal(StatusCode.NOT_FOUND);
        }
    }

    /** The volume of a running workload stays mounted until its claim is released, also when the agent restarts. */
    private void checkNotInUse(SimNode.Mount mount, String target) {
        boolean taken =
                claim(mount).filter(claim -> claim.state() == ClaimState.TAKEN).isPresent();
        if (taken
                && kernel.isInUse(mount, target)
                && node.runs(mount.allocationId())
                && !world.allowedViolations().allowsMount(mount.volume(), mount.allocationId())) {
            world.reportViolation("N1: " + mount.volume() + " is unmounted on " + node.id + " while "
                    + mount.allocationId() + " runs and holds its claim");
        }
    }

    @Override
    public CompletableFuture<Void> nodeUnstageVolume(NodeUnstageVolumeRequest request) {
        String path = request.stagingTargetPath();
        return call(Rpc.NODE_UNSTAGE_VOLUME, request.volumeId(), path, () -> {
            kernel.unmount(path);
            key(request.volumeId()).ifPresent(node::unstage);
            return null;
        });
    }

    @Override
    public CompletableFuture<NodeExpandVolumeResponse> nodeExpandVolume(NodeExpandVolumeRequest request) {
        return call(Rpc.NODE_EXPAND_VOLUME, request.volumeId(), request.volumePath(), () -> {
            if (!kernel.isMounted(request.volumePath())) {
                throw new Refusal(StatusCode.NOT_FOUND);
            }
            VolumeKey key = key(request.volumeId()).orElseThrow(() -> new Refusal(StatusCode.NOT_FOUND));
            long bytes = request.capacityRange().orElseThrow().requiredBytes();
            return new NodeExpandVolumeResponse(world.provider().expandOnNode(key, node.id, bytes));
        });
    }

    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("the simulated node plugin has no such call");
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> nodeGetVolumeStats(NodeGetVolumeStatsRequest request) {
        throw unsupported();
    }

    @Override
    public CompletableFuture<NodeGetCapabilitiesResponse> nodeGetCapabilities() {
        throw unsupported();
    }

    @Override
    public CompletableFuture<NodeGetInfoResponse> nodeGetInfo() {
        throw unsupported();
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> nodeGetVolumeHealth(NodeGetVolumeHealthRequest request) {
        throw unsupported();
    }

    @Override
    public CompletableFuture<NodeGetStorageHealthResponse> nodeGetStorageHealth(NodeGetStorageHealthRequest request) {
        throw unsupported();
    }
}
