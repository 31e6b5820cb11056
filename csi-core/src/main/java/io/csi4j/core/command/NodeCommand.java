package io.csi4j.core.command;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.Text;
import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.Objects;

/** About the nodes of the host. */
public sealed interface NodeCommand extends Command {
    /**
     * A node is there. A new one, or one that was GONE, is READY; nothing changes for one that is known.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record UpsertNode(NodeId nodeId, Instant at) implements NodeCommand {
        public UpsertNode {
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.upsertNode(this);
        }
    }

    /**
     * What the host hears of a node. A fenced one stays fenced until it is READY.
     *
     * @param status READY, DISCONNECTED or DOWN
     * @param reason why, for an operator; possibly empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record SetNodeStatus(NodeId nodeId, NodeStatus status, String reason, Instant at) implements NodeCommand {
        /**
         * Checks that the status is one the host hears.
         *
         * @throws IllegalArgumentException if it is FENCED or GONE
         */
        public SetNodeStatus {
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(status, "status");
            Text.checked("SetNodeStatus: reason", reason);
            Objects.requireNonNull(at, "at");
            if (status.lost()) {
                throw new IllegalArgumentException("SetNodeStatus: " + status + " is not heard but decided; use "
                        + (status == NodeStatus.FENCED ? "FenceNode" : "RemoveNode") + " for node " + nodeId);
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.setNodeStatus(this);
        }
    }

    /**
     * Nothing on the node can reach storage any more: the host made sure of it. Its allocations have ended.
     *
     * @param reason how, for an operator; possibly empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record FenceNode(NodeId nodeId, String reason, Instant at) implements NodeCommand {
        public FenceNode {
            Objects.requireNonNull(nodeId, "nodeId");
            Text.checked("FenceNode: reason", reason);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.fenceNode(this);
        }
    }

    /**
     * The node is gone for good. Its allocations have ended; it stays as GONE while claims or attachments on it
     * remain.
     *
     * @param reason why, for an operator; possibly empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RemoveNode(NodeId nodeId, String reason, Instant at) implements NodeCommand {
        public RemoveNode {
            Objects.requireNonNull(nodeId, "nodeId");
            Text.checked("RemoveNode: reason", reason);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.removeNode(this);
        }
    }

    /**
     * Has one method for each type of command; a class that implements it cannot omit a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R upsertNode(UpsertNode command);

        R setNodeStatus(SetNodeStatus command);

        R fenceNode(FenceNode command);

        R removeNode(RemoveNode command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
