package io.csi4j.core.command;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** What came of a command. */
public sealed interface Outcome {
    /**
     * It was done, or had been done before.
     *
     * @param changed whether any row changed; false for a repeat
     * @param effects what it did, in the order it was done
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
     * It was refused, and nothing changed.
     *
     * @param reason why, and who stands in the way
     */
    record Rejected(Rejection reason) implements Outcome {
        /** Checks that there is a reason. */
        public Rejected {
            Objects.requireNonNull(reason, "reason");
        }

        @Override
        public <R> R fold(Function<Accepted, R> accepted, Function<Rejected, R> rejected) {
            return rejected.apply(this);
        }
    }

    /**
     * Whether it was accepted.
     *
     * @return false if it was refused
     */
    default boolean accepted() {
        return this instanceof Accepted;
    }

    /**
     * Makes one thing of either case.
     *
     * @param accepted for a command that was done
     * @param rejected for one that was refused
     * @return what the case's function made of it
     * @param <R> the type of it
     */
    <R> R fold(Function<Accepted, R> accepted, Function<Rejected, R> rejected);
}
