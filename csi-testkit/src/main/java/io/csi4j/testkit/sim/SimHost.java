package io.csi4j.testkit.sim;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.AllocationCommand;
import io.csi4j.core.command.NodeCommand;
import io.csi4j.core.command.PluginCommand;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** The host: its machines, its plugins, its volumes, and what happens to them. */
final class SimHost {
    static final String UNATTACHED = "local";

    static final PluginId ATTACHING = PluginId.of("attaching");
    private static final PluginId LOCAL = PluginId.of("local");
    private static final Namespace NAMESPACE = Namespace.of("default");
    private static final Duration GRACE = Duration.ofSeconds(60);
    /** A cut off node stops by itself before its grace is over, whenever the host noticed. */
    private static final Duration SELF_STOP = Duration.ofSeconds(45);

    private static final AccessMode[] MODES = {
        AccessMode.SINGLE_NODE_WRITER,
        AccessMode.MULTI_NODE_MULTI_WRITER,
        AccessMode.MULTI_NODE_SINGLE_WRITER,
        AccessMode.SINGLE_NODE_MULTI_WRITER,
        AccessMode.SINGLE_NODE_WRITER
    };

    private final SimWorld world;
    private final SplittableRandom random;
    private final List<VolumeKey> volumes = new ArrayList<>();
    private final List<AccessMode> modes = new ArrayList<>();
    private Consumer<SimNode> report = node -> {};

    SimHost(SimWorld world, SplittableRandom random) {
        this.world = world;
        this.random = random;
    }

    /** Sets the scene; a node that comes back reports by itself. */
    void begin(SimulationOptions options, Consumer<SimNode> reports) {
        this.report = reports;
        for (int i = 1; i <= options.nodes(); i++) {
            SimNode node = new SimNode(NodeId.of("n" + i));
            world.nodes().put(node.id, node);
            world.host(new NodeCommand.UpsertNode(node.id, world.scheduler().instant()));
            fingerprint(node, true);
        }
        for (int i = 0; i < options.volumes(); i++) {
            addVolume(i);
        }
        long most = options.chaos().toNanos();
        for (int i = 0; i < options.nodes() * 3; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(most)), this::trouble);
        }
        for (int i = 0; i < 3; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(most)), this::illness);
        }
    }

    private void addVolume(int number) {
        AccessMode mode = MODES[number % MODES.length];
        boolean local = number % MODES.length == MODES.length - 1;
        VolumeKey key = VolumeKey.of(NAMESPACE.value(), (local ? UNATTACHED : "v") + number);
        FencingPolicy policy = switch (number % 3) {
            case 0 -> FencingPolicy.waitForConfirmation();
            case 1 -> FencingPolicy.afterGrace(GRACE);
            default -> FencingPolicy.onFence();
        };
        VolumeSpec spec = VolumeSpec.builder(local ? LOCAL : ATTACHING)
                .externalVolumeId(SimWorld.externalId(key))
                .requestedCapabilities(List.of(RequestedCapability.mount(mode)))
                .fencingPolicy(policy)
                .build();
        world.addVolume(key, mode.multiNode());
        volumes.add(key);
        modes.add(mode);
        world.host(new VolumeCommand.RegisterVolume(
                key,
                spec,
                VolumeOrigin.REGISTERED,
                ProviderFacts.none(),
                world.scheduler().instant()));
    }

    List<VolumeKey> volumes() {
        return volumes;
    }

    AccessMode mode(VolumeKey key) {
        return modes.get(volumes.indexOf(key));
    }

    void fingerprint(SimNode node, boolean healthy) {
        List<PluginInstance> instances = new ArrayList<>();
        boolean controller = node.id.value().equals("n1") || node.id.value().equals("n2");
        instances.add(instance(node, ATTACHING, controller ? PluginType.MONOLITH : PluginType.NODE, healthy));
        instances.add(instance(node, LOCAL, PluginType.NODE, healthy));
        world.host(new PluginCommand.FingerprintNode(
                node.id, instances, world.scheduler().instant()));
    }

    private PluginInstance instance(SimNode node, PluginId plugin, PluginType type, boolean healthy) {
        boolean attaching = plugin.equals(ATTACHING);
        List<ControllerCapability> controller = attaching
                ? List.of(
                        ControllerCapability.CREATE_DELETE_VOLUME,
                        ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                        ControllerCapability.SINGLE_NODE_MULTI_WRITER)
                : List.of();
        return PluginInstance.builder(
                        new InstanceKey(node.id, plugin, type, Optional.empty()),
                        world.scheduler().instant())
                .health(healthy, "")
                .provider(plugin + ".example.com")
                .vendorVersion("1")
                .services(CapabilitySet.of(
                        PluginService.class, attaching ? List.of(PluginService.CONTROLLER_SERVICE) : List.of()))
                .controllerCapabilities(CapabilitySet.of(ControllerCapability.class, controller))
                .nodeCapabilities(CapabilitySet.of(
                        NodeCapability.class,
                        List.of(NodeCapability.STAGE_UNSTAGE_VOLUME, NodeCapability.SINGLE_NODE_MULTI_WRITER)))
                .nodeInfo(new NodeInfo(node.externalId, 0, Optional.empty()))
                .build();
    }

    /** A plugin is ill for a while. */
    private void illness() {
        SimNode node = any();
        if (!world.faults().happen() || !node.answers()) {
            return;
        }
        fingerprint(node, false);
        world.scheduler().soon(Duration.ofMinutes(2), () -> {
            if (node.answers()) {
                fingerprint(node, true);
            }
        });
    }

    private SimNode any() {
        List<SimNode> nodes = new ArrayList<>(world.nodes().values());
        return nodes.get(random.nextInt(nodes.size()));
    }

    /** A node fails, or is cut off. */
    private void trouble() {
        SimNode node = any();
        if (!world.faults().happen() || !node.answers()) {
            return;
        }
        if (random.nextBoolean()) {
            world.trace().note("host", node.id + " loses power");
            node.powerOff();
        } else {
            world.trace().note("host", node.id + " is cut off");
            cutOff(node);
        }
        Duration noticed = world.scheduler().upTo(Duration.ofSeconds(10));
        world.scheduler().after(noticed, () -> heard(node, NodeStatus.DISCONNECTED));
        Duration givenUp = noticed.plus(world.scheduler().upTo(Duration.ofSeconds(30)));
        world.scheduler().after(givenUp, () -> heard(node, NodeStatus.DOWN));
        world.scheduler().after(givenUp.plus(world.scheduler().upTo(Duration.ofMinutes(3))), () -> resolve(node));
    }

    private void cutOff(SimNode node) {
        node.cutOff();
        long times = node.cutOffs();
        world.scheduler().after(SELF_STOP, () -> {
            if (node.powered() && !node.answers() && node.cutOffs() == times) {
                node.stopEverything();
            }
        });
    }

    private void heard(SimNode node, NodeStatus status) {
        if (!node.answers() && !node.removed()) {
            world.host(new NodeCommand.SetNodeStatus(
                    node.id, status, "not heard of", world.scheduler().instant()));
        }
    }

    private void resolve(SimNode node) {
        if (node.answers() || node.removed()) {
            return;
        }
        switch (random.nextInt(5)) {
            case 0 -> fence(node);
            case 1 -> remove(node);
            default -> back(node);
        }
    }

    /** The host makes sure that nothing on the node can reach storage, and says so then. */
    void fence(SimNode node) {
        if (node.answers() || node.removed()) {
            return;
        }
        world.trace().note("host", node.id + " is fenced");
        node.powerOff();
        world.host(
                new NodeCommand.FenceNode(node.id, "fenced", world.scheduler().instant()));
        if (world.faults().happen()) {
            world.scheduler().soon(Duration.ofMinutes(2), () -> back(node));
        }
    }

    private void remove(SimNode node) {
        world.trace().note("host", node.id + " is removed");
        node.powerOff();
        node.remove();
        world.host(
                new NodeCommand.RemoveNode(node.id, "removed", world.scheduler().instant()));
        if (world.faults().happen()) {
            world.scheduler().soon(Duration.ofMinutes(2), () -> back(node));
        }
    }

    /** The node answers again; what ran there before a loss of power does not run any more, and it says so. */
    void back(SimNode node) {
        if (node.answers()) {
            return;
        }
        world.trace().note("host", node.id + " is back");
        node.powerOn();
        world.host(new NodeCommand.UpsertNode(node.id, world.scheduler().instant()));
        report.accept(node);
        world.host(new NodeCommand.SetNodeStatus(
                node.id, NodeStatus.READY, "", world.scheduler().instant()));
        fingerprint(node, true);
    }

    void status(AllocationId id, NodeId nodeId, AllocationStatus status) {
        world.host(new AllocationCommand.UpsertAllocation(
                id,
                NAMESPACE,
                nodeId,
                Optional.empty(),
                status,
                world.scheduler().instant()));
    }
}
