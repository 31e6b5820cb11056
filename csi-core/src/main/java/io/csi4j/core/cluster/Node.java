package io.csi4j.core.cluster;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.text.Text;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A node of the host.
 *
 * @param status the status that the host reported
 * @param since the time at which the node got this status
 * @param reason the reason for the status, for an operator; possibly empty
 * @param modifyIndex the index of the last command that changed the status, the machines or the ledger
 * @param fingerprint the number of the newest applied report of the node's plugins; 0 if none had a number
 * @param machines the machine behind the node, as each plugin identifies it, in the order of the plugins
 * @param ledger what the state knows about the node's ledger
 */
public record Node(
        NodeId id,
        NodeStatus status,
        Instant since,
        String reason,
        long modifyIndex,
        long fingerprint,
        List<NodeMachine> machines,
        NodeLedger ledger) {
    public Node {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(since, "since");
        Text.checked("Node: reason", reason);
        machines = List.copyOf(machines);
        Objects.requireNonNull(ledger, "ledger");
    }

    /**
     * Creates a node that has not reported its plugins yet.
     *
     * @param status the status that the host reported
     * @param since the time at which the node got this status
     * @param reason the reason for the status, for an operator; possibly empty
     * @param modifyIndex the index of the last command that changed the status
     */
    public Node(NodeId id, NodeStatus status, Instant since, String reason, long modifyIndex) {
        this(id, status, since, reason, modifyIndex, 0, List.of(), NodeLedger.settled());
    }

    /**
     * Returns this node with the number of a newer fingerprint, which is a report of the node's plugins.
     *
     * @param order the number of the fingerprint
     */
    public Node fingerprinted(long order) {
        return new Node(id, status, since, reason, modifyIndex, order, machines, ledger);
    }

    /**
     * Returns this node with other knowledge about its ledger.
     *
     * @param index the index of the command that brings the knowledge
     */
    public Node withLedger(NodeLedger known, long index) {
        return new Node(id, status, since, reason, index, fingerprint, machines, known);
    }

    /**
     * Returns this node with another machine for one plugin.
     *
     * @param machine replaces the machine of the same plugin
     * @param index the index of the command that changes the machine
     */
    public Node with(NodeMachine machine, long index) {
        List<NodeMachine> changed = new ArrayList<>(machines);
        changed.removeIf(one -> one.pluginId().equals(machine.pluginId()));
        changed.add(machine);
        changed.sort(Comparator.comparing(NodeMachine::pluginId));
        return new Node(id, status, since, reason, index, fingerprint, changed, ledger);
    }

    /** Returns the machine behind this node as a plugin identifies it; empty if the plugin has not reported it. */
    public Optional<NodeMachine> machine(PluginId pluginId) {
        for (NodeMachine machine : machines) {
            if (machine.pluginId().equals(pluginId)) {
                return Optional.of(machine);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns whether a claim or an attachment belongs to a machine that is no longer behind this node: the plugin has
     * reported another external id since.
     *
     * @param externalNodeId the external id in the claim or attachment; if it is empty, nothing says that the machine is
     *     another one
     */
    public boolean isFormer(PluginId pluginId, Optional<ExternalNodeId> externalNodeId) {
        return externalNodeId.isPresent()
                && machine(pluginId)
                        .filter(machine -> !machine.externalNodeId().equals(externalNodeId.get()))
                        .isPresent();
    }

    /**
     * Returns whether the host guarantees that the machine of a claim or attachment cannot reach storage any more. The
     * status of this node says so only of the present machine. Of a former machine, the host's earlier fencing or an
     * operator's statement says so.
     *
     * @param externalNodeId the external id in the claim or attachment; may be empty
     */
    public boolean isLost(PluginId pluginId, Optional<ExternalNodeId> externalNodeId) {
        return isFormer(pluginId, externalNodeId)
                ? machine(pluginId)
                        .flatMap(machine -> machine.former(externalNodeId.orElseThrow()))
                        .filter(NodeMachine.Former::lost)
                        .isPresent()
                : status.lost();
    }
}
