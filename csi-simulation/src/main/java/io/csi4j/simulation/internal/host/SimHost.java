package io.csi4j.simulation.internal.host;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.simulation.internal.node.NodeSide;
import io.csi4j.simulation.internal.plugin.SimPlugins;
import io.csi4j.simulation.internal.world.PortDecorator;
import io.csi4j.simulation.internal.world.SimConfig;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** The host: its machines, its plugins, and their failures. */
public final class SimHost {
    /** A node that is cut off stops its workloads itself after this time, which is before the grace period ends. */
    private static final Duration SELF_STOP = Duration.ofSeconds(45);

    private static final Duration LAST_PLUGIN_FAILURE = Duration.ofMinutes(1);

    /** A machine is often replaced before it has stopped its workloads by itself. */
    private static final Duration REPLACEMENT_DELAY = Duration.ofSeconds(50);

    private static final Duration PLUGIN_START = Duration.ofSeconds(20);

    private static final int CONTROLLERS = 2;

    private final SimWorld world;
    private final NodeSide side;
    private final SplittableRandom random;
    private final SimPlugins plugins;
    private Consumer<SimNode> onRecovery = node -> {};
    private Consumer<SimNode> onAgentRestart = node -> {};
    private Consumer<SimNode> onReplacement = node -> {};
    private Consumer<SimNode> onFalseEnd = node -> {};
    /** The machines that the host has fenced or removed, and has not reported as ready since. */
    private final Set<SimNode> lost = new LinkedHashSet<>();
    /** The number of new machines whose plugins have not been reported yet. */
    private int pendingReports;

    public SimHost(SimWorld world, NodeSide side, SplittableRandom random, PortDecorator decorator) {
        this.side = side;
        this.world = world;
        this.random = random;
        this.plugins =
                new SimPlugins(world, decorator, random.nextBoolean(), random.nextInt(3) == 0, this::reportMachine);
    }

    /**
     * Registers the nodes and schedules their failures.
     *
     * @param recoveries receives each node that recovers
     * @param agentRestarts receives each node whose agent restarts
     */
    public void begin(SimConfig options, Consumer<SimNode> recoveries, Consumer<SimNode> agentRestarts) {
        this.onRecovery = recoveries;
        this.onAgentRestart = agentRestarts;
        side.onAgentStart(agentRestarts);
        for (int i = 1; i <= options.nodes(); i++) {
            SimNode node = new SimNode(NodeId.of("n" + i));
            world.add(node);
            side.add(node);
            if (i <= CONTROLLERS) {
                plugins.serveController(node);
            }
            world.applyFromHost(
                    new NodeCommand.UpsertNode(node.id, world.clocks().report()));
            plugins.start(node);
            plugins.fingerprint(node, true);
        }
        world.capacity().begin(options, plugins::fingerprint);
        long max = options.chaos().toNanos();
        for (int i = 0; i < options.nodes() * 3; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(max)), this::failNode);
        }
        for (int i = 0; i < 6; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(max)), this::failProgram);
        }
    }

    /**
     * Sets the callbacks for a machine that was replaced.
     *
     * @param replacements receives each such machine
     * @param falseEnds reports the end of the machine's workloads, although they may still run
     */
    public void onReplacement(Consumer<SimNode> replacements, Consumer<SimNode> falseEnds) {
        onReplacement = replacements;
        onFalseEnd = falseEnds;
    }

    /** Restarts or fails a program on a healthy node. */
    private void failProgram() {
        SimNode node = anyNode();
        if (!world.faults().active() || !node.answers()) {
            return;
        }
        switch (random.nextInt(4)) {
            case 0 -> plugins.failFor(node, Duration.ofMinutes(2));
            case 1 -> {
                world.coverage().fault("plugin restart");
                world.trace().note("host", "the plugin on " + node.id + " restarts");
                node.restartPlugin();
                plugins.restart(node);
                plugins.failFor(node, Duration.ofSeconds(10));
            }
            case 2 -> {
                world.coverage().fault("agent restart");
                world.trace().note("host", "the agent of " + node.id + " restarts");
                node.restartAgent();
                onAgentRestart.accept(node);
                plugins.agentRestarted(node);
            }
            default -> plugins.moveController(node, anyNode());
        }
    }

    /** Makes the plugins of all nodes that answer unhealthy at the same time. Each plugin recovers after a while. */
    public void failPluginsOnce() {
        world.nodes().values().stream()
                .filter(SimNode::answers)
                .forEach(node -> plugins.failFor(node, LAST_PLUGIN_FAILURE));
    }

    private SimNode anyNode() {
        List<SimNode> nodes = new ArrayList<>(world.nodes().values());
        return nodes.get(random.nextInt(nodes.size()));
    }

    /** Lets a random node lose power, or cuts off its network. */
    private void failNode() {
        SimNode node = anyNode();
        if (!world.faults().active() || !node.answers()) {
            return;
        }
        if (random.nextBoolean()) {
            world.coverage().fault("power lost");
            world.trace().note("host", node.id + " loses power");
            node.powerOff();
        } else {
            world.coverage().fault("cut off");
            world.trace().note("host", node.id + " is cut off");
            cutOff(node);
        }
        Duration silenceNoticed = world.scheduler().upTo(Duration.ofSeconds(10));
        world.scheduler().after(silenceNoticed, () -> reportSilence(node, NodeStatus.DISCONNECTED));
        if (world.traits().replaces() && random.nextInt(3) > 0) {
            world.scheduler().within(REPLACEMENT_DELAY, () -> replace(node));
        }
        Duration declaredDown = silenceNoticed.plus(world.scheduler().upTo(Duration.ofSeconds(30)));
        world.scheduler().after(declaredDown, () -> reportSilence(node, NodeStatus.DOWN));
        world.scheduler().after(declaredDown.plus(world.scheduler().upTo(Duration.ofMinutes(3))), () -> resolve(node));
    }

    private void cutOff(SimNode node) {
        node.cutOff();
        long times = node.cutOffs();
        world.scheduler().after(SELF_STOP, () -> {
            boolean reported = node.answers() && node.isReady();
            if (node.powered() && !reported && node.cutOffs() == times) {
                node.stopEverything();
            }
        });
    }

    private void reportSilence(SimNode node, NodeStatus status) {
        if (!node.answers() && !node.removed()) {
            status(node, status, "node unreachable");
        }
    }

    private void resolve(SimNode node) {
        if (node.answers() || node.removed()) {
            return;
        }
        switch (random.nextInt(5)) {
            case 0 -> fence(node);
            case 1 -> remove(node);
            default -> recover(node);
        }
    }

    /** Cuts a lost node off from the storage, and then reports to the state that the node is fenced. */
    public void fence(SimNode node) {
        if (node.answers() || node.removed()) {
            return;
        }
        world.coverage().fault("fenced");
        world.trace().note("host", node.id + " is fenced");
        powerOff(node);
        lost.add(node);
        world.applyFromHost(
                new NodeCommand.FenceNode(node.id, "fenced", world.clocks().report()));
        if (world.faults().active()) {
            world.scheduler().within(Duration.ofMinutes(2), () -> recover(node));
        }
    }

    /**
     * Switches a machine off. The state may know the node's former machine only; then the host's word will be about that
     * one, so the host switches it off, too.
     */
    private void powerOff(SimNode node) {
        node.powerOff();
        if (!isKnown(node)) {
            world.machines(node.id).forEach(SimNode::powerOff);
        }
    }

    /** Returns whether a plugin has reported this machine as the present one of its node. */
    private boolean isKnown(SimNode node) {
        return world.store()
                .snapshot()
                .node(node.id)
                .filter(known -> known.machines().stream()
                        .anyMatch(machine -> machine.externalNodeId().equals(node.externalId)))
                .isPresent();
    }

    private void remove(SimNode node) {
        world.coverage().fault("removed");
        world.trace().note("host", node.id + " is removed");
        powerOff(node);
        node.remove();
        lost.add(node);
        world.applyFromHost(
                new NodeCommand.RemoveNode(node.id, "removed", world.clocks().report()));
        if (world.faults().active()) {
            world.scheduler().within(Duration.ofMinutes(2), () -> recover(node));
        }
    }

    /** Reports a healthy node as disconnected, and as ready again after a random time of at most {@code max}. */
    public void loseContact(SimNode node, Duration max) {
        world.coverage().fault("node unreachable");
        world.trace().note("host", node.id + " is unreachable");
        status(node, NodeStatus.DISCONNECTED, "node unreachable");
        world.scheduler().within(max, () -> status(node, NodeStatus.READY, ""));
    }

    private void status(SimNode node, NodeStatus status, String reason) {
        world.applyFromHost(new NodeCommand.SetNodeStatus(
                node.id, status, reason, world.clocks().report()));
    }

    /**
     * Ends the failure of a node: it answers again and reports which workloads have stopped. After a loss of power no
     * workload runs; after a network cut some may still run.
     */
    public void recover(SimNode node) {
        if (node.answers() || node.replaced()) {
            return;
        }
        if (world.traits().replaces() && world.faults().active() && !node.powered() && random.nextBoolean()) {
            replaceNow(node);
            return;
        }
        world.coverage().fault("node recovered");
        world.trace().note("host", node.id + " recovers");
        if (node.powered()) {
            world.coverage().fault("node reconnected");
        } else {
            plugins.start(node);
        }
        node.powerOn();
        node.whenReady(() -> reportReady(node));
    }

    /** Replaces a machine that does not answer, unless the host has resolved its failure already. */
    private void replace(SimNode node) {
        if (world.faults().active() && !node.answers() && !node.removed()) {
            replaceNow(node);
        }
    }

    /**
     * Lets another machine register under the id of a machine that does not answer. That machine may still run. Some
     * hosts then report the end of its workloads, because the new machine does not run them.
     */
    private void replaceNow(SimNode node) {
        Optional<NodeStatus> status = world.store().snapshot().node(node.id).map(Node::status);
        world.coverage().fault("machine replaced");
        if (node.powered()) {
            world.coverage().fault("machine replaced while it runs");
        }
        if (status.equals(Optional.of(NodeStatus.FENCED))) {
            world.coverage().fault("fenced machine replaced");
        }
        SimNode machine = node.replace();
        world.trace().note("host", node.id + " is replaced by " + machine.externalId);
        world.add(machine);
        world.topology().replace(node, machine);
        world.drift().replaced(node);
        side.add(machine);
        plugins.replace(node, machine);
        if (random.nextBoolean()) {
            onFalseEnd.accept(node);
        }
        onReplacement.accept(node);
        machine.whenReady(() -> reportReady(machine));
    }

    private void reportReady(SimNode node) {
        if (!node.answers()) {
            return;
        }
        lost.remove(node);
        world.applyFromHost(new NodeCommand.UpsertNode(node.id, world.clocks().report()));
        onRecovery.accept(node);
        status(node, NodeStatus.READY, "");
        if (world.traits().replaces()
                && world.machines(node.id).size() > 1
                && world.faults().coin()) {
            // The plugins of a new machine start later than its agent.
            pendingReports++;
            world.scheduler().within(PLUGIN_START, () -> {
                pendingReports--;
                if (node.answers()) {
                    reportMachine(node);
                }
            });
        } else {
            reportMachine(node);
        }
    }

    /** Whether the host has said that a machine cannot reach storage, or another machine has its node id. */
    boolean isLost(SimNode node) {
        return node.replaced() || lost.contains(node);
    }

    /** After a restore: reports each node again, with what is true of its machine. */
    public void restored() {
        // First all nodes: a node that joined after the backup counts as new once the others have said what they have.
        for (SimNode node : List.copyOf(world.nodes().values())) {
            world.applyFromHost(
                    new NodeCommand.UpsertNode(node.id, world.clocks().report()));
        }
        for (SimNode node : List.copyOf(world.nodes().values())) {
            if (lost.contains(node) && !node.answers()) {
                powerOff(node);
                Instant now = world.clocks().report();
                world.applyFromHost(
                        node.removed()
                                ? new NodeCommand.RemoveNode(node.id, "removed", now)
                                : new NodeCommand.FenceNode(node.id, "fenced", now));
            } else if (node.answers()) {
                node.whenReady(() -> reportReady(node));
            } else {
                status(node, NodeStatus.DOWN, "node unreachable");
            }
        }
    }

    /** Whether the plugins of all new machines that answer have been reported. */
    public boolean settled() {
        return pendingReports == 0
                && plugins.settled()
                && world.nodes().values().stream().allMatch(node -> !node.answers() || node.isReady());
    }

    private void reportMachine(SimNode node) {
        plugins.fingerprint(node, true);
        if (plugins.haveAnswered(node)) {
            // From now on the state knows of the replacement. A replaced machine that still runs no longer stops by
            // itself.
            world.machines(node.id).stream().filter(SimNode::replaced).forEach(SimNode::cutOff);
        }
    }

    public void status(AllocationId id, NodeId nodeId, AllocationStatus status) {
        world.applyFromHost(command(id, nodeId, status));
    }

    public AllocationCommand.UpsertAllocation command(AllocationId id, NodeId nodeId, AllocationStatus status) {
        return new AllocationCommand.UpsertAllocation(
                id,
                Namespace.of(SimVolumes.NAMESPACE),
                nodeId,
                Optional.empty(),
                status,
                world.clocks().report());
    }
}
