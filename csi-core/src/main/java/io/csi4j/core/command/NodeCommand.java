package io.csi4j.core.command;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.Text;
import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.Objects;

/** Commands that record the nodes of the host and their status. */
public sealed interface NodeCommand extends Command {
    /**
     * Adds a node with status READY. A GONE node becomes READY again; a node that is known already does not change.
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
     * Records the status that the host observed for a node. A fenced node stays FENCED until its status is set to
     * READY.
     *
     * @param status READY, DISCONNECTED or DOWN
     * @param reason the reason for an operator; possibly empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record SetNodeStatus(NodeId nodeId, NodeStatus status, String reason, Instant at) implements NodeCommand {
        /**
         * @throws IllegalArgumentException if the status is FENCED or GONE; use {@link FenceNode} or {@link
         *     RemoveNode}
         */
        public SetNodeStatus {
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(status, "status");
            Text.checked("SetNodeStatus: reason", reason);
            Objects.requireNonNull(at, "at");
            if (status.lost()) {
                throw new IllegalArgumentException("SetNodeStatus: " + status + " is not an observed status; use "
                        + (status == NodeStatus.FENCED ? "FenceNode" : "RemoveNode") + " for node " + nodeId);
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.setNodeStatus(this);
        }
    }

    /**
     * Records the host's guarantee that the node cannot reach storage any more. All allocations of the node become
     * ENDED.
     *
     * @param reason the way in which the node was fenced, for an operator; possibly empty
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
     * Removes a node permanently. All allocations of the node become ENDED. The row stays with status GONE while the
     * node has claims or attachments.
     *
     * @param reason the reason for an operator; possibly empty
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
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
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
