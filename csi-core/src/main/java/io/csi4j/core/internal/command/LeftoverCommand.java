package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.volume.Leftover;
import java.time.Instant;
import java.util.Objects;

/** Commands about what forgotten volumes may have left on nodes ({@link Leftover}). */
public sealed interface LeftoverCommand extends Command {
    Leftover.Key key();

    /**
     * Records the report of a node that it has unmounted a forgotten volume for an allocation. Has no effect if no
     * leftover has this claim.
     *
     * @param nodeId the node that reports; a claim on another node is not changed
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordUnmounted(Leftover.Key key, NodeId nodeId, AllocationId allocationId, Instant at)
            implements LeftoverCommand {
        public RecordUnmounted {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordUnmounted(this);
        }
    }

    /**
     * Records the statement of an operator that no node has the forgotten volume mounted or attached any more, and
     * removes the leftover. Has no effect if the leftover was removed; rejected if there is a newer one.
     *
     * @param ifCreateIndex the create index of the leftover that the operator has seen
     * @param operator the operator, not empty
     * @param reason the operator's evidence, not empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record OverrideLeftover(Leftover.Key key, long ifCreateIndex, String operator, String reason, Instant at)
            implements LeftoverCommand {
        /** @throws IllegalArgumentException if {@code operator} or {@code reason} is empty */
        public OverrideLeftover {
            Objects.requireNonNull(key, "key");
            Text.checked("OverrideLeftover: who", operator);
            Text.checked("OverrideLeftover: why", reason);
            Objects.requireNonNull(at, "at");
            if (operator.isEmpty() || reason.isEmpty()) {
                throw new IllegalArgumentException("OverrideLeftover: give the operator (who) and the reason (why)");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.overrideLeftover(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R recordUnmounted(RecordUnmounted command);

        R overrideLeftover(OverrideLeftover command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
