package io.csi4j.core.lifecycle;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.SnapshotCommand;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.snapshot.SnapshotSpec;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.SecretsProvider;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Several servers, started one after the other over the same state; the newest one leads. */
final class VolumeRig extends Rig {
    static final Secrets SECRETS = Secrets.of(Map.of("password", "hunter2"));

    final Set<ControllerCapability> controller = EnumSet.allOf(ControllerCapability.class);
    final Set<PluginService> services = EnumSet.of(
            PluginService.CONTROLLER_SERVICE,
            PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS,
            PluginService.GROUP_CONTROLLER_SERVICE);
    final Set<NodeCapability> onNodes = EnumSet.of(NodeCapability.STAGE_UNSTAGE_VOLUME, NodeCapability.EXPAND_VOLUME);
    Set<VolumeExpansion> expansion = EnumSet.of(VolumeExpansion.ONLINE, VolumeExpansion.OFFLINE);
    AccessControl access = AccessControl.off();

    @Nullable ControllerTrust controllers;

    EventListener listener = EventListener.none();
    LifecycleOptions options = LifecycleOptions.ofDefaults();
    SecretsProvider secrets = SecretsProvider.ofVolumes();
    private @Nullable VolumeLifecycle leader;

    /** Returns a rig with two nodes, each with a healthy plugin that has all capabilities. */
    static VolumeRig started() {
        VolumeRig rig = new VolumeRig();
        rig.nodes("n1", "n2");
        return rig;
    }

    VolumeRig nodes(String... names) {
        for (String name : names) {
            node(name);
            fingerprint(name, true);
        }
        return this;
    }

    void fingerprint(String node, boolean healthy) {
        Capabilities capabilities = Capabilities.unknown()
                .withServices(CapabilitySet.of(PluginService.class, services))
                .withNode(CapabilitySet.of(NodeCapability.class, onNodes))
                .withVolumeExpansion(CapabilitySet.of(VolumeExpansion.class, expansion));
        boolean served = services.contains(PluginService.CONTROLLER_SERVICE);
        fingerprint(instance(node, PluginType.MONOLITH)
                .health(healthy, "")
                .provider("csi.example.com")
                .vendorVersion("1.0")
                .capabilities(
                        served
                                ? capabilities.withController(CapabilitySet.of(ControllerCapability.class, controller))
                                : capabilities)
                .nodeInfo(nodeInfo(node))
                .build());
    }

    /** Starts a new engine over the same state, as after a crash of the server. The old engine loses its access. */
    VolumeLifecycle engine() {
        VolumeLifecycle engine = follower();
        engine.startLeading();
        leader = engine;
        return engine;
    }

    /** Starts a new engine that does not lead. */
    VolumeLifecycle follower() {
        return builder().build();
    }

    /** Returns a builder of an engine over the same state. An earlier engine does not lead any more. */
    VolumeLifecycleBuilder builder() {
        if (leader != null) {
            leader.stopLeading();
            leader = null;
        }
        VolumeLifecycleBuilder builder = VolumeLifecycle.builder();
        if (controllers != null) {
            builder.controllers(controllers);
        }
        return builder.log(log.nextServer())
                .gateway(gateway)
                .environment(clock.environment(new Random(7)))
                .callbackExecutor(clock)
                .access(access)
                .listener(listener)
                .secrets(secrets)
                .options(options);
    }

    static VolumeSpec.Builder spec() {
        return VolumeSpec.builder(PLUGIN)
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER)))
                .secrets(SECRETS);
    }

    Volume volume() {
        return get(VOL);
    }

    /** Creates a volume through the engine, and returns it when it is available. */
    Volume made() {
        return done(engine().volumes().create(VOL, spec().build()));
    }

    /** Stores the row of a snapshot that is ready, without any call. */
    void storeSnapshot(SnapshotKey key, VolumeKey source) {
        Volume volume = get(source);
        SnapshotSpec spec = new SnapshotSpec(
                source,
                volume.createIndex(),
                PLUGIN,
                volume.remoteId(),
                "name-of-" + key,
                Map.of("a", "planted-parameter"));
        long index = done(log.submit(new SnapshotCommand.CreateSnapshot(key, spec, clock.instant())))
                .fold(
                        accepted -> log.state().snapshot(),
                        rejected -> log.state().snapshot())
                .snapshot(key)
                .orElseThrow()
                .createIndex();
        Snapshot ready = Snapshot.builder(SnapshotId.of("id-of-" + key), volume.remoteId())
                .readyToUse(true)
                .build();
        var unused = done(log.submit(new SnapshotCommand.RecordSnapshot(key, index, ready, clock.instant())));
    }

    void claim(String allocation, String node) {
        allocation(allocation, node, AllocationStatus.RUNNING);
        ok(new ClaimCommand.TakeClaims(
                AllocationId.of(allocation),
                List.of(ClaimRequest.of(
                        VOL, ClaimMode.WRITE, RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER))),
                now()));
    }

    void published(String node) {
        String at = volume().remoteId() + "@ext-" + node;
        ok(new AttachmentCommand.RecordPublished(VOL, NodeId.of(node), provider.attach(at), now()));
    }
}
