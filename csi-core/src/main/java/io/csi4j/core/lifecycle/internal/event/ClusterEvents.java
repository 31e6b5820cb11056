package io.csi4j.core.lifecycle.internal.event;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.NodeEvent;
import io.csi4j.core.spi.NodeReplacedEvent;
import io.csi4j.core.spi.PluginConflictEvent;
import io.csi4j.core.spi.PluginHealthEvent;
import io.csi4j.core.spi.UndeclaredControllerEvent;
import io.csi4j.core.state.StateReader;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reports an event for each node whose status a command has changed, and for each plugin whose number of healthy
 * instances, or whose instances with another provider name, a command has changed. A change that several concurrent commands have made together is reported once.
 * Thread-safe.
 */
final class ClusterEvents {
    private static final System.Logger LOG = System.getLogger(ClusterEvents.class.getName());

    private final EventListener listener;
    private final Map<NodeId, NodeStatus> nodes = new ConcurrentHashMap<>();
    private final Map<PluginId, Health> plugins = new ConcurrentHashMap<>();
    private final Map<PluginId, List<NodeId>> conflicts = new ConcurrentHashMap<>();
    private final ControllerTrust trust;
    private final UndeclaredControllers undeclared;

    private record Health(int controllers, int nodes) {
        static Health of(PluginView view) {
            return new Health(view.healthyControllers(), view.healthyNodes());
        }
    }

    /** The nodes and plugins that a command may change. */
    private record Subjects(Set<NodeId> nodes, Set<PluginId> plugins) {
        static Subjects of(StateReader before, Command command) {
            Subjects subjects = new Subjects(new TreeSet<>(), new TreeSet<>());
            subjects.add(before, command);
            return subjects;
        }

        private void add(StateReader before, Command command) {
            if (command instanceof Batch batch) {
                batch.commands().forEach(one -> add(before, one));
            } else if (command instanceof NodeCommand.UpsertNode upsert) {
                nodes.add(upsert.nodeId());
            } else if (command instanceof NodeCommand.SetNodeStatus set) {
                nodes.add(set.nodeId());
            } else if (command instanceof NodeCommand.FenceNode fence) {
                nodes.add(fence.nodeId());
            } else if (command instanceof NodeCommand.RequireLedgers) {
                before.nodes().forEach(node -> nodes.add(node.id()));
            } else if (command instanceof NodeCommand.RemoveNode remove) {
                nodes.add(remove.nodeId());
            } else if (command instanceof NodeCommand.ResolveFormerMachine resolve) {
                nodes.add(resolve.nodeId());
            } else if (command instanceof PluginCommand.FingerprintNode fingerprint) {
                nodes.add(fingerprint.nodeId());
            } else if (command instanceof PluginCommand.RemoveInstance remove) {
                nodes.add(remove.key().nodeId());
            } else if (command instanceof PluginCommand.DeletePlugin delete) {
                plugins.add(delete.pluginId());
            } else if (command instanceof PluginCommand.SetProvider set) {
                plugins.add(set.pluginId());
            } else if (command instanceof AllocationCommand.UpsertAllocation allocation) {
                // The allocation may have run a plugin instance, so the health of the node's plugins may have changed
                // too.
                nodes.add(allocation.nodeId());
            }
        }
    }

    ClusterEvents(EventListener listener, ControllerTrust trust) {
        this.listener = listener;
        this.trust = trust;
        this.undeclared = new UndeclaredControllers(trust);
    }

    void publish(StateReader before, StateReader after, Command command) {
        Subjects subjects = Subjects.of(before, command);
        Set<PluginId> changed = new TreeSet<>(subjects.plugins());
        for (NodeId nodeId : subjects.nodes()) {
            node(before, after, nodeId, command.at());
            machines(before, after, nodeId, command.at());
            healthChanges(before, after, nodeId, changed);
            healthChanges(after, before, nodeId, changed);
            undeclared.check(
                    after,
                    nodeId,
                    controller -> listener.undeclaredController(
                            new UndeclaredControllerEvent(controller, after.index(), command.at())));
        }
        changed.forEach(pluginId -> plugin(before, after, pluginId, command.at()));
    }

    private void node(StateReader before, StateReader after, NodeId nodeId, Instant at) {
        Optional<NodeStatus> was = before.node(nodeId).map(Node::status);
        Optional<NodeStatus> is = after.node(nodeId).map(Node::status);
        if (is.equals(was) || is.isEmpty()) {
            return;
        }
        if (is.get() != nodes.put(nodeId, is.get())) {
            listener.nodeChanged(new NodeEvent(nodeId, is.get(), after.index(), at));
        }
    }

    private void machines(StateReader before, StateReader after, NodeId nodeId, Instant at) {
        Optional<Node> now = after.node(nodeId);
        if (now.isEmpty()) {
            return;
        }
        for (NodeMachine machine : now.get().machines()) {
            Optional<NodeMachine> earlier = before.node(nodeId).flatMap(node -> node.machine(machine.pluginId()));
            for (NodeMachine.Former former : machine.former()) {
                if (earlier.flatMap(known -> known.former(former.externalNodeId()))
                        .isEmpty()) {
                    replaced(nodeId, machine, former, after.index(), at);
                }
            }
        }
    }

    private void replaced(NodeId nodeId, NodeMachine machine, NodeMachine.Former former, long index, Instant at) {
        if (!former.lost()) {
            LOG.log(
                    Level.WARNING,
                    "Plugin {0} reports external id {1} for node {2}, and volumes are in use there as {3}. They are held"
                            + " until an operator says whether that machine is lost (FORMER_MACHINE_LOST) or was renamed"
                            + " (MACHINE_RENAMED), with csi node override, or operator().overrideNode in Java",
                    machine.pluginId(),
                    machine.externalNodeId(),
                    nodeId,
                    former.externalNodeId());
        }
        listener.nodeReplaced(new NodeReplacedEvent(
                nodeId, machine.pluginId(), former.externalNodeId(), machine.externalNodeId(), index, at));
    }

    /** Adds the plugins whose instances on a node differ between two states. */
    private static void healthChanges(StateReader one, StateReader other, NodeId nodeId, Set<PluginId> changed) {
        for (PluginInstance instance : one.instancesOn(nodeId)) {
            Optional<PluginInstance> there = other.instance(instance.key());
            if (there.filter(PluginInstance::healthy).isPresent() != instance.healthy()
                    || !there.flatMap(PluginInstance::provider).equals(instance.provider())) {
                changed.add(instance.key().pluginId());
            }
        }
    }

    private void plugin(StateReader before, StateReader after, PluginId pluginId, Instant at) {
        PluginView was = view(before, pluginId);
        PluginView now = view(after, pluginId);
        health(Health.of(was), Health.of(now), pluginId, after.index(), at);
        conflict(conflictNodes(was), conflictNodes(now), pluginId, after.index(), at);
    }

    private PluginView view(StateReader state, PluginId pluginId) {
        return state.plugin(pluginId).withControllers(key -> trust.trusts(state, key));
    }

    private static List<NodeId> conflictNodes(PluginView view) {
        return view.conflicts().stream()
                .map(instance -> instance.key().nodeId())
                .distinct()
                .sorted()
                .toList();
    }

    private void conflict(List<NodeId> was, List<NodeId> is, PluginId pluginId, long index, Instant at) {
        if (is.equals(was)) {
            return;
        }
        List<NodeId> reported = is.isEmpty() ? conflicts.remove(pluginId) : conflicts.put(pluginId, is);
        if (!is.equals(reported)) {
            listener.pluginConflict(new PluginConflictEvent(pluginId, is, index, at));
        }
    }

    private void health(Health was, Health is, PluginId pluginId, long index, Instant at) {
        if (is.equals(was)) {
            return;
        }
        Health reported = is.controllers() + is.nodes() == 0 ? plugins.remove(pluginId) : plugins.put(pluginId, is);
        if (!is.equals(reported)) {
            listener.pluginHealthChanged(new PluginHealthEvent(pluginId, is.controllers(), is.nodes(), index, at));
        }
    }
}
