package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Attempt;
import java.time.Instant;
import java.util.Objects;

/** Commands that record the begin and the failure of planned calls. */
public sealed interface CallCommand extends Command {
    VolumeKey key();

    CallTarget target();

    /**
     * Records that a call begins. The command is applied before the call is sent, so that every later leader knows that
     * the call may have run. It is used for calls that create, delete or modify a volume.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record BeginCall(VolumeKey key, CallTarget target, Instant at) implements CallCommand {
        /** @throws IllegalArgumentException if the begin of a call for the target is not recorded */
        public BeginCall {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(target, "target");
            Objects.requireNonNull(at, "at");
            if (!(target instanceof CallTarget.OfVolume) && !(target instanceof CallTarget.OfModification)) {
                throw new IllegalArgumentException("BeginCall: target is " + target
                        + ", and the begin of such a call is not recorded; send it without this command");
            }
        }
    }

    /**
     * Records that a call failed, or that its outcome is unknown. Has no effect if the row does not have the target any
     * more. If the target is an attachment that is PUBLISHED already, another call has succeeded; the command is then
     * rejected, and so is the whole batch that contains it.
     *
     * @param attempt the failed attempt; without a time for the next attempt, it means that a requested change was
     *     refused permanently
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordCallError(VolumeKey key, CallTarget target, Attempt attempt, Instant at) implements CallCommand {
        public RecordCallError {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(target, "target");
            Objects.requireNonNull(attempt, "attempt");
            Objects.requireNonNull(at, "at");
        }
    }
}
