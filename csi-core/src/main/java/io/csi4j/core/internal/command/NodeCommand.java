package io.csi4j.core.internal.command;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.cluster.StorageLoss;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.text.Text;
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
     * Records the host's fact that the storage of a node is gone. The rows of volumes that only this node could reach are
     * removed, without a call to their plugin, if they are being deleted, belong to an allocation, or are named. Rejected
     * unless the node is FENCED, GONE or unknown.
     *
     * @param reason the cause, for an operator; not empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record LoseStorage(StorageLoss loss, String reason, Instant at) implements NodeCommand {
        /** @throws IllegalArgumentException if the reason is empty */
        public LoseStorage {
            Objects.requireNonNull(loss, "loss");
            Text.checked("LoseStorage: reason", reason);
            if (reason.isEmpty()) {
                throw new IllegalArgumentException("LoseStorage: give the reason why the storage is gone");
            }
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.loseStorage(this);
        }
    }

    /** An operator's statement about a former external id of a node. */
    enum FormerMachine {
        /** Another machine had the id, and that machine cannot reach storage any more. */
        LOST,
        /** The machine is the same; the plugin only calls it by another id now. */
        RENAMED
    }

    /**
     * Records the statement of an operator about a former external id of a node. If the former machine is lost, its
     * claims become releasable, and volumes are unpublished from the former id. If the machine was renamed, its claims
     * and attachments get the present id. Rejected if the plugin has reported another id than {@code present} since.
     * Accepted without effect if no claim and no attachment has the former id.
     *
     * @param former the former external id, which claims or attachments on the node still have
     * @param present the external id that the plugin reports now
     * @param operator the operator, not empty
     * @param reason the reason, not empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record ResolveFormerMachine(
            NodeId nodeId,
            PluginId pluginId,
            ExternalNodeId former,
            ExternalNodeId present,
            FormerMachine meaning,
            String operator,
            String reason,
            Instant at)
            implements NodeCommand {
        /** @throws IllegalArgumentException if {@code operator} or {@code reason} is empty, or both ids are equal */
        public ResolveFormerMachine {
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(pluginId, "pluginId");
            Objects.requireNonNull(former, "former");
            Objects.requireNonNull(present, "present");
            Objects.requireNonNull(meaning, "meaning");
            Text.checked("ResolveFormerMachine: who", operator);
            Text.checked("ResolveFormerMachine: why", reason);
            Objects.requireNonNull(at, "at");
            if (operator.isEmpty() || reason.isEmpty()) {
                throw new IllegalArgumentException(
                        "ResolveFormerMachine: give the operator (who) and the reason (why)");
            }
            if (former.equals(present)) {
                throw new IllegalArgumentException("ResolveFormerMachine: " + former + " is the present id of node "
                        + nodeId + " for plugin " + pluginId + "; name a former one");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.resolveFormerMachine(this);
        }
    }

    /**
     * Says that the state may be older than what the nodes have mounted, for example because a backup was restored.
     * Every node has to report its ledger. Until then, no volume is detached from the node, and no volume is newly
     * claimed on any node. The status of each node counts as reported now; a node that was FENCED or GONE becomes DOWN,
     * because the host may have let it return since.
     *
     * @param reason the reason, for an operator; not empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RequireLedgers(String reason, Instant at) implements NodeCommand {
        /** @throws IllegalArgumentException if the reason is empty */
        public RequireLedgers {
            Text.checked("RequireLedgers: reason", reason);
            Objects.requireNonNull(at, "at");
            if (reason.isEmpty()) {
                throw new IllegalArgumentException("RequireLedgers: give the reason why the state may be old");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.requireLedgers(this);
        }
    }

    /**
     * Records what a node has mounted. Each use of a volume without a claim becomes a claim of its allocation.
     *
     * @param report everything that the node has mounted
     * @param ifMissingSince the command applies only while the node has to report since this index; with 0 it always
     *     applies
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordLedger(NodeId nodeId, LedgerReport report, long ifMissingSince, Instant at) implements NodeCommand {
        /** @throws IllegalArgumentException if the index is negative */
        public RecordLedger {
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(report, "report");
            Indexes.check("RecordLedger", "ifMissingSince", ifMissingSince);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordLedger(this);
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

        R resolveFormerMachine(ResolveFormerMachine command);

        R requireLedgers(RequireLedgers command);

        R loseStorage(LoseStorage command);

        R recordLedger(RecordLedger command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
