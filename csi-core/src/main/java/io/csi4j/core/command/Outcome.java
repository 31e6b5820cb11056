package io.csi4j.core.command;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** The result of a command: accepted with effects, or rejected with a reason. */
public sealed interface Outcome {
    /**
     * The command was applied, or an earlier command had already made the same change.
     *
     * @param changed whether any row changed; false for a repeated command
     * @param effects the effects of the command, in the order in which they happened
     */
    record Accepted(boolean changed, List<Effect> effects) implements Outcome {
        public Accepted {
            effects = List.copyOf(effects);
        }

        @Override
        public <R> R fold(Function<Accepted, R> accepted, Function<Rejected, R> rejected) {
            return accepted.apply(this);
        }
    }

    /**
     * The command was rejected and changed nothing.
     *
     * @param reason the reason, which names the claims or attachments that prevent the command
     */
    record Rejected(Rejection reason) implements Outcome {
        public Rejected {
            Objects.requireNonNull(reason, "reason");
        }

        @Override
        public <R> R fold(Function<Accepted, R> accepted, Function<Rejected, R> rejected) {
            return rejected.apply(this);
        }
    }

    /** Returns whether the command was accepted. */
    default boolean accepted() {
        return this instanceof Accepted;
    }

    /**
     * Calls one of the two functions, and returns its result.
     *
     * @param accepted the function for an accepted command
     * @param rejected the function for a rejected command
     * @param <R> the result type of both functions
     */
    <R> R fold(Function<Accepted, R> accepted, Function<Rejected, R> rejected);
}
