package io.csi4j.simulation.stress;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.StateStore;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/** The nodes, plugins and volumes that the host records in the state. */
final class StressCluster {
    static final int NODES = 6;
    static final int VOLUMES = 30;
    static final PluginId PLUGIN = PluginId.of("p");

    private static final VolumeAccessMode[] MODES = {
        VolumeAccessMode.SINGLE_NODE_WRITER,
        VolumeAccessMode.MULTI_NODE_MULTI_WRITER,
        VolumeAccessMode.MULTI_NODE_SINGLE_WRITER,
        VolumeAccessMode.SINGLE_NODE_MULTI_WRITER,
        VolumeAccessMode.MULTI_NODE_READER_ONLY
    };

    private final StateStore store;
    private final Clock clock = Clock.systemUTC();

    StressCluster(StateStore store) {
        this.store = store;
        for (int i = 0; i < NODES; i++) {
            apply(new NodeCommand.UpsertNode(node(i), clock.instant()));
            fingerprint(i, true);
        }
        for (int i = 0; i < VOLUMES; i++) {
            VolumeSpec spec = VolumeSpec.builder(PLUGIN)
                    .externalVolumeId(ExternalVolumeId.of(volume(i).volumeId().value()))
                    .requestedCapabilities(List.of(RequestedCapability.mount(mode(i))))
                    .build();
            apply(new VolumeCommand.RegisterVolume(
                    volume(i), spec, VolumeOrigin.REGISTERED, ProviderFacts.none(), clock.instant()));
        }
    }

    static NodeId node(int number) {
        return NodeId.of("n" + number);
    }

    static VolumeKey volume(int number) {
        return VolumeKey.of("default", "v" + number);
    }

    static VolumeAccessMode mode(int number) {
        return MODES[number % MODES.length];
    }

    Clock clock() {
        return clock;
    }

    void apply(Command command) {
        Outcome outcome = store.apply(command);
        if (!outcome.accepted()) {
            throw new IllegalStateException(command + " returned " + outcome);
        }
    }

    void status(AllocationId id, NodeId nodeId, AllocationStatus status) {
        apply(new AllocationCommand.UpsertAllocation(
                id, Namespace.of("default"), nodeId, Optional.empty(), status, clock.instant()));
    }

    /** The first two nodes also serve the controller. */
    void fingerprint(int number, boolean healthy) {
        PluginType type = number < 2 ? PluginType.MONOLITH : PluginType.NODE;
        PluginInstance instance = PluginInstance.builder(
                        new InstanceKey(node(number), PLUGIN, type, Optional.empty()), clock.instant())
                .health(healthy, "")
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(
                                ControllerCapability.CREATE_DELETE_VOLUME,
                                ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                                ControllerCapability.SINGLE_NODE_MULTI_WRITER)
                        .withNode(NodeCapability.STAGE_UNSTAGE_VOLUME, NodeCapability.SINGLE_NODE_MULTI_WRITER))
                .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + node(number)), 0, Optional.empty()))
                .build();
        apply(new PluginCommand.FingerprintNode(node(number), List.of(instance), clock.instant()));
    }
}
