package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.volume.WithdrawnCreation;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/** Commands about creations that were given up ({@link WithdrawnCreation}). */
public sealed interface WithdrawnCreationCommand extends Command {
    WithdrawnCreation.Key key();

    /** Returns the create index of the withdrawn creation; the command does not concern a newer one. */
    long ifCreateIndex();

    /**
     * Records an answer to a call of a withdrawn creation, which came after the withdrawal. Has no effect if there is no
     * such withdrawn creation.
     *
     * @param lastCall the index of the command that recorded the start of the answered call
     * @param externalVolumeId the external id of the volume that the storage provider has made; empty if the answer
     *     proves that neither this call nor an earlier one has made a volume
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordLateAnswer(
            WithdrawnCreation.Key key,
            long ifCreateIndex,
            long lastCall,
            Optional<ExternalVolumeId> externalVolumeId,
            Instant at)
            implements WithdrawnCreationCommand {
        public RecordLateAnswer {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(externalVolumeId, "externalVolumeId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordLateAnswer(this);
        }
    }

    /**
     * Records the statement of an operator that the storage provider has no volume of this creation, and will have none.
     * Removes the withdrawn creation. Has no effect if there is no such withdrawn creation.
     *
     * @param operator the operator, not empty
     * @param reason the operator's evidence, not empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record ForgetWithdrawnCreation(
            WithdrawnCreation.Key key, long ifCreateIndex, String operator, String reason, Instant at)
            implements WithdrawnCreationCommand {
        /** @throws IllegalArgumentException if {@code operator} or {@code reason} is empty */
        public ForgetWithdrawnCreation {
            Objects.requireNonNull(key, "key");
            Text.checked("ForgetWithdrawnCreation: who", operator);
            Text.checked("ForgetWithdrawnCreation: why", reason);
            Objects.requireNonNull(at, "at");
            if (operator.isEmpty() || reason.isEmpty()) {
                throw new IllegalArgumentException(
                        "ForgetWithdrawnCreation: give the operator (who) and the reason (why)");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.forgetWithdrawnCreation(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R recordLateAnswer(RecordLateAnswer command);

        R forgetWithdrawnCreation(ForgetWithdrawnCreation command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
