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
     * @param nodeId the node
     * @param at when, by the clock of whoever proposes it
     */
    record UpsertNode(NodeId nodeId, Instant at) implements NodeCommand {
        /** Checks that all parts are there. */
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
     * @param nodeId the node
     * @param status READY, DISCONNECTED or DOWN
     * @param reason why, for an operator; possibly empty
     * @param at when, by the clock of whoever proposes it
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
     * @param nodeId the node
     * @param reason how, for an operator; possibly empty
     * @param at when, by the clock of whoever proposes it
     */
    record FenceNode(NodeId nodeId, String reason, Instant at) implements NodeCommand {
        /** Checks that all parts are there. */
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
     * The node is gone for good. Its allocations have ended; it stays as GONE while claims or attachments
     * on it remain.
     *
     * @param nodeId the node
     * @param reason why, for an operator; possibly empty
     * @param at when, by the clock of whoever proposes it
     */
    record RemoveNode(NodeId nodeId, String reason, Instant at) implements NodeCommand {
        /** Checks that all parts are there. */
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
     * One method for each of these commands, so that none can be forgotten.
     *
     * @param <R> what a handler makes of a command
     */
    interface Cases<R> {
        /**
         * The case of an {@link UpsertNode}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R upsertNode(UpsertNode command);

        /**
         * The case of a {@link SetNodeStatus}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R setNodeStatus(SetNodeStatus command);

        /**
         * The case of a {@link FenceNode}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R fenceNode(FenceNode command);

        /**
         * The case of a {@link RemoveNode}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R removeNode(RemoveNode command);
    }

    /**
     * Hands the command to its case.
     *
     * @param cases the handler
     * @param <R> what the handler makes of it
     * @return what the handler made of it
     */
    <R> R accept(Cases<R> cases);
}
