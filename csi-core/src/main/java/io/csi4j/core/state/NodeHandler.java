package io.csi4j.core.state;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.NodeCommand;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import java.util.List;
import java.util.Optional;

/** Applies the commands about nodes. */
final class NodeHandler implements NodeCommand.Cases<Outcome> {
    private final Step step;

    NodeHandler(Step step) {
        this.step = step;
    }

    @Override
    public Outcome upsertNode(NodeCommand.UpsertNode command) {
        Optional<Node> known = step.reader().node(command.nodeId());
        if (known.isEmpty() || known.get().status() == NodeStatus.GONE) {
            store(command.nodeId(), NodeStatus.READY, "");
        }
        return step.accepted();
    }

    @Override
    public Outcome setNodeStatus(NodeCommand.SetNodeStatus command) {
        Optional<Node> known = step.reader().node(command.nodeId());
        if (known.isEmpty() || known.get().status() == NodeStatus.GONE) {
            return notFound(command.nodeId());
        }
        NodeStatus status = known.get().status();
        boolean fencedStays = status == NodeStatus.FENCED && command.status() != NodeStatus.READY;
        if (status != command.status() && !fencedStays) {
            store(command.nodeId(), command.status(), command.reason());
        }
        return step.accepted();
    }

    @Override
    public Outcome fenceNode(NodeCommand.FenceNode command) {
        Optional<Node> known = step.reader().node(command.nodeId());
        if (known.isEmpty()) {
            return notFound(command.nodeId());
        }
        if (!known.get().status().lost()) {
            store(command.nodeId(), NodeStatus.FENCED, command.reason());
            AllocationEndings.endNode(step, command.nodeId());
        }
        return step.accepted();
    }

    @Override
    public Outcome removeNode(NodeCommand.RemoveNode command) {
        Optional<Node> known = step.reader().node(command.nodeId());
        if (known.isPresent() && known.get().status() != NodeStatus.GONE) {
            store(command.nodeId(), NodeStatus.GONE, command.reason());
            AllocationEndings.endNode(step, command.nodeId());
            UnreferencedRows.removeGoneNode(step, command.nodeId());
        }
        return step.accepted();
    }

    @Override
    public Outcome resolveFormerMachine(NodeCommand.ResolveFormerMachine command) {
        Optional<Node> node = step.reader().node(command.nodeId());
        if (node.isEmpty()) {
            return notFound(command.nodeId());
        }
        Optional<ExternalNodeId> present =
                node.get().machine(command.pluginId()).map(NodeMachine::externalNodeId);
        if (!present.equals(Optional.of(command.present()))) {
            return Step.rejected(
                    new Rejection.NodeMachineChanged(command.nodeId(), command.pluginId(), command.present(), present));
        }
        NodeMachines.resolve(step, command);
        return step.accepted();
    }

    private void store(NodeId nodeId, NodeStatus status, String reason) {
        Optional<Node> known = step.reader().node(nodeId);
        Node node = new Node(
                nodeId,
                status,
                step.at(),
                reason,
                step.index(),
                known.map(Node::fingerprint).orElse(0L),
                known.map(Node::machines).orElse(List.of()));
        step.writer().putNode(status.lost() ? NodeMachines.fenced(node, step.index()) : node);
    }

    private static Outcome notFound(NodeId nodeId) {
        return Step.rejected(new Rejection.NodeNotFound(nodeId));
    }
}
