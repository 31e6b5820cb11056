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
import java.util.function.Consumer;

/** The plugins on the nodes, as the host reports them to the state. */
public final class SimPlugins {
    private static final Duration FIRST_ANSWER = Duration.ofSeconds(20);

    private final SimWorld world;
    private final PortDecorator decorator;
    private final boolean publishesReadonly;
    /** Whether the controller expands only volumes that are not in use. */
    private final boolean expandsOffline;

    private final Set<SimNode> controllers = new LinkedHashSet<>();
    /** The start time of each node's plugins. */
    private final Map<SimNode, Instant> startTimes = new HashMap<>();

    private final Set<SimNode> unhealthy = new HashSet<>();
    /** The nodes whose plugins have not answered since their registration. */
    private final Map<SimNode, Registration> unproved = new HashMap<>();

    private final Consumer<SimNode> onFirstAnswer;

    /** A registration of a node's plugins; from the next one on, an answer to it counts no more. */
    private static final class Registration {
        /** Whether the node has reported that the plugins have not answered yet. */
        private boolean reported;
    }

    /** @param onFirstAnswer reports a node whose plugins have answered for the first time */
    public SimPlugins(
            SimWorld world,
            PortDecorator decorator,
            boolean publishesReadonly,
            boolean expandsOffline,
            Consumer<SimNode> onFirstAnswer) {
        this.world = world;
        this.onFirstAnswer = onFirstAnswer;
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
        unproved.remove(former);
        start(machine);
    }

    /** Starts the plugins of a node that has none. At times they answer only after a while. */
    public void start(SimNode node) {
        restart(node);
        unproved.remove(node);
        if (world.faults().answersLate()) {
            awaitAnswer(node, new Registration());
        }
    }

    /**
     * Restarts the agent of a node. At times it reports the plugins before they have answered: it does not know any more
     * what they have answered before.
     */
    public void agentRestarted(SimNode node) {
        if (world.faults().answersLate()) {
            awaitAnswer(node, new Registration());
            fingerprint(node);
        }
    }

    private void awaitAnswer(SimNode node, Registration registration) {
        unproved.put(node, registration);
        world.scheduler().within(FIRST_ANSWER, () -> answer(node, registration));
    }

    /** Lets the plugins of a node answer for the first time, or crash or end before that. */
    private void answer(SimNode node, Registration registration) {
        if (!registration.equals(unproved.get(node))) {
            return;
        }
        boolean reports = registration.reported && node.answers();
        if (reports && world.faults().answersLate()) {
            // The node reports them a second time, and still without an answer.
            world.coverage().fault("plugin crash before its first answer");
            world.trace().note("host", "the plugins on " + node.id + " crash before their first answer");
            node.restartPlugin();
            fingerprint(node);
            awaitAnswer(node, registration);
        } else if (reports && world.faults().answersLate()) {
            world.coverage().fault("plugin ended before its first answer");
            world.trace().note("host", "the plugins on " + node.id + " end and are registered again");
            report(node, List.of());
            awaitAnswer(node, registration);
        } else {
            unproved.remove(node);
            if (reports) {
                world.coverage().fault("first answer of a plugin");
                onFirstAnswer.accept(node);
            }
        }
    }

    /** Whether the plugins of a node have answered since their registration. */
    public boolean haveAnswered(SimNode node) {
        return !unproved.containsKey(node);
    }

    /** Whether the plugins of all nodes that answer have answered, too. */
    public boolean settled() {
        return unproved.keySet().stream().noneMatch(SimNode::answers);
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
        PluginType type = controllers.contains(node) ? PluginType.MONOLITH : PluginType.NODE;
        Registration registration = unproved.get(node);
        if (registration == null) {
            report(
                    node,
                    List.of(
                            instance(node, SimVolumes.ATTACHING, type, healthy),
                            instance(node, SimVolumes.LOCAL, PluginType.NODE, healthy)));
        } else {
            world.coverage().fault("plugin has not answered yet");
            registration.reported = true;
            report(
                    node,
                    List.of(
                            unproved(node, SimVolumes.ATTACHING, type),
                            unproved(node, SimVolumes.LOCAL, PluginType.NODE)));
        }
    }

    private void report(SimNode node, List<PluginInstance> instances) {
        world.applyFromHost(new PluginCommand.FingerprintNode(
                node.id, instances, world.clocks().report()));
    }

    private PluginInstance.Builder builder(SimNode node, PluginId plugin, PluginType type) {
        return PluginInstance.builder(
                new InstanceKey(node.id, plugin, type, Optional.empty()),
                Objects.requireNonNull(startTimes.get(node), "the plugins have not started"));
    }

    private PluginInstance unproved(SimNode node, PluginId plugin, PluginType type) {
        return decorator.reported(builder(node, plugin, type)
                .health(false, "it has not answered yet")
                .proved(false)
                .build());
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
        if (attaching && world.made().reportsCapacity()) {
            controller.add(ControllerCapability.GET_CAPACITY);
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
        PluginInstance instance = builder(node, plugin, type)
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
        world.provedInstances().answered(instance.key());
        return decorator.reported(instance);
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
        if (world.faults().answersLate()) {
            awaitAnswer(to, new Registration());
        }
        fingerprint(from, true);
        fingerprint(to, true);
    }
}
