package io.csi4j.simulation.internal.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** A world without faults, with one node whose plugin attaches volumes. The state changes without any check. */
public final class PlacedWorld implements AutoCloseable {
    public static final Instant AT = Instant.EPOCH;
    public static final NodeId N1 = NodeId.of("n1");
    public static final InstanceKey INSTANCE =
            new InstanceKey(N1, SimVolumes.ATTACHING, PluginType.MONOLITH, Optional.empty());
    public static final RequestedCapability MOUNT = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    public final SimWorld world = new SimWorld(new SplittableRandom(1), new SplittableRandom(2), 0, false);
    public final SimNode node = new SimNode(N1);

    /** @param expansion how the plugin expands volumes */
    public PlacedWorld(VolumeExpansion expansion) {
        world.add(node);
        ok(new NodeCommand.UpsertNode(N1, AT));
        PluginInstance instance = PluginInstance.builder(INSTANCE, AT)
                .provider("sim.example.com")
                .vendorVersion("1")
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(
                                ControllerCapability.CREATE_DELETE_VOLUME,
                                ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                                ControllerCapability.EXPAND_VOLUME,
                                ControllerCapability.MODIFY_VOLUME)
                        .withVolumeExpansion(expansion)
                        .withNode(NodeCapability.STAGE_UNSTAGE_VOLUME, NodeCapability.EXPAND_VOLUME))
                .nodeInfo(new NodeInfo(node.externalId, 0, Optional.empty()))
                .build();
        world.provedInstances().answered(INSTANCE);
        ok(new PluginCommand.FingerprintNode(N1, List.of(instance), AT));
    }

    public void ok(Command command) {
        Outcome outcome = world.store().apply(command);
        assertThat(outcome.accepted()).as("%s: %s", command, outcome).isTrue();
    }

    public static VolumeKey key(String volume) {
        return VolumeKey.of(SimVolumes.NAMESPACE, volume);
    }

    /** Registers a volume that the provider has. */
    public ExternalVolumeId volume(String volume) {
        ExternalVolumeId external = world.addVolume(key(volume));
        VolumeSpec spec = VolumeSpec.builder(SimVolumes.ATTACHING)
                .externalVolumeId(external)
                .requestedCapabilities(List.of(MOUNT))
                .build();
        ok(new VolumeCommand.RegisterVolume(key(volume), spec, VolumeOrigin.REGISTERED, ProviderFacts.none(), AT));
        return external;
    }

    public void allocation(String allocation) {
        ok(new AllocationCommand.UpsertAllocation(
                AllocationId.of(allocation),
                Namespace.of(SimVolumes.NAMESPACE),
                N1,
                Optional.empty(),
                AllocationStatus.RUNNING,
                AT));
    }

    public static ClaimCommand.TakeClaims take(String volume, String allocation) {
        return new ClaimCommand.TakeClaims(
                AllocationId.of(allocation), List.of(ClaimRequest.of(key(volume), ClaimMode.WRITE, MOUNT)), AT);
    }

    /** Registers a volume and claims it, so that the state has the intent to publish it. */
    public ExternalVolumeId claimed(String volume, String allocation) {
        ExternalVolumeId external = volume(volume);
        allocation(allocation);
        ok(take(volume, allocation));
        return external;
    }

    public Volume row(String volume) {
        return world.store().snapshot().volume(key(volume)).orElseThrow();
    }

    /** Attaches a volume at the provider as the state has it. */
    public void attach(String volume) {
        world.provider().attach(row(volume).remoteId(), node.externalId, use(volume));
    }

    public SimProvider.Use use(String volume) {
        return SimProvider.Use.of(row(volume).attachments().on(N1).orElseThrow());
    }

    /** Runs all that has been started; the checks must have found exactly this. */
    public void found(String... violations) {
        while (world.scheduler().step()) {
            // Each step runs one event.
        }
        assertThat(world.violations()).containsExactly(violations);
    }

    @Override
    public void close() {
        world.close();
    }
}
