package io.csi4j.simulation.internal.plugin;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.simulation.internal.world.PortDecorator;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** The plugins on the nodes, as the host reports them to the state. */
public final class SimPlugins {
    private final SimWorld world;
    private final PortDecorator decorator;
    private final boolean publishesReadonly;
    /** Whether the controller expands only volumes that are not in use. */
    private final boolean expandsOffline;

    private final Set<SimNode> controllers = new LinkedHashSet<>();
    /** The start time of each node's plugins. */
    private final Map<SimNode, Instant> startTimes = new HashMap<>();

    private final Set<SimNode> unhealthy = new HashSet<>();

    public SimPlugins(SimWorld world, PortDecorator decorator, boolean publishesReadonly, boolean expandsOffline) {
        this.world = world;
        this.decorator = decorator;
        this.publishesReadonly = publishesReadonly;
        this.expandsOffline = expandsOffline;
    }

    /** Makes the node's plugin offer the controller service from now on. */
    public void serveController(SimNode node) {
        controllers.add(node);
    }

    /** Starts the plugins of a machine in place of those of the machine that it replaces. */
    public void replace(SimNode former, SimNode machine) {
        if (controllers.remove(former)) {
            controllers.add(machine);
        }
        unhealthy.remove(former);
        restart(machine);
    }

    /** Restarts the node's plugins; their next fingerprint has a new start time. */
    public void restart(SimNode node) {
        startTimes.put(node, world.clocks().node(node.id).instant());
        world.capacity().recount(node);
    }

    /** Reports the node's plugins with unchanged health. */
    public void fingerprint(SimNode node) {
        fingerprint(node, !unhealthy.contains(node));
    }

    /** Reports the node's plugins. */
    public void fingerprint(SimNode node, boolean healthy) {
        if (healthy) {
            unhealthy.remove(node);
        } else {
            unhealthy.add(node);
        }
        List<PluginInstance> instances = new ArrayList<>();
        instances.add(instance(
                node,
                SimVolumes.ATTACHING,
                controllers.contains(node) ? PluginType.MONOLITH : PluginType.NODE,
                healthy));
        instances.add(instance(node, SimVolumes.LOCAL, PluginType.NODE, healthy));
        world.applyFromHost(new PluginCommand.FingerprintNode(
                node.id, instances, world.clocks().report()));
    }

    private PluginInstance instance(SimNode node, PluginId plugin, PluginType type, boolean healthy) {
        boolean attaching = plugin.equals(SimVolumes.ATTACHING);
        List<ControllerCapability> controller = new ArrayList<>();
        if (attaching) {
            controller.addAll(List.of(
                    ControllerCapability.CREATE_DELETE_VOLUME,
                    ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                    ControllerCapability.EXPAND_VOLUME,
                    ControllerCapability.MODIFY_VOLUME,
                    ControllerCapability.SINGLE_NODE_MULTI_WRITER));
        }
        if (attaching && world.traits().reconciles()) {
            controller.add(ControllerCapability.LIST_VOLUMES);
            controller.add(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES);
        }
        if (attaching && world.traits().snapshots()) {
            controller.add(ControllerCapability.CREATE_DELETE_SNAPSHOT);
            controller.add(ControllerCapability.GET_SNAPSHOT);
        }
        if (attaching && publishesReadonly) {
            controller.add(ControllerCapability.PUBLISH_READONLY);
        }
        return PluginInstance.builder(
                        new InstanceKey(node.id, plugin, type, Optional.empty()),
                        Objects.requireNonNull(startTimes.get(node), "the plugins have not started"))
                .health(healthy, "")
                .provider(plugin + ".example.com")
                .vendorVersion("1")
                .capabilities(Capabilities.unknown()
                        .withServices(CapabilitySet.of(PluginService.class, attaching ? services() : List.of()))
                        .withController(CapabilitySet.of(ControllerCapability.class, controller))
                        .withVolumeExpansion(
                                attaching && expandsOffline ? VolumeExpansion.OFFLINE : VolumeExpansion.ONLINE)
                        .withNode(
                                NodeCapability.STAGE_UNSTAGE_VOLUME,
                                NodeCapability.EXPAND_VOLUME,
                                NodeCapability.SINGLE_NODE_MULTI_WRITER))
                .nodeInfo(decorator.reported(
                        attaching
                                ? new NodeInfo(
                                        node.externalId,
                                        world.capacity().reported(node),
                                        world.topology().of(node))
                                : new NodeInfo(node.externalId, 0, Optional.empty())))
                .build();
    }

    private List<PluginService> services() {
        List<PluginService> services = new ArrayList<>(List.of(PluginService.CONTROLLER_SERVICE));
        if (world.traits().zones()) {
            services.add(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS);
        }
        if (world.traits().snapshots()) {
            services.add(PluginService.GROUP_CONTROLLER_SERVICE);
        }
        return services;
    }

    /** Makes the node's plugins unhealthy for a while. */
    public void failFor(SimNode node, Duration max) {
        world.coverage().fault("plugin unhealthy");
        fingerprint(node, false);
        world.scheduler().within(max, () -> {
            if (node.answers()) {
                fingerprint(node, true);
            }
        });
    }

    /** Moves the controller service from one node's plugin to that of another node. */
    public void moveController(SimNode from, SimNode to) {
        if (!controllers.contains(from) || controllers.contains(to) || !to.answers()) {
            return;
        }
        world.coverage().fault("controller moves");
        world.trace().note("host", "the controller of " + from.id + " moves to " + to.id);
        controllers.remove(from);
        controllers.add(to);
        fingerprint(from, true);
        fingerprint(to, true);
    }
}
