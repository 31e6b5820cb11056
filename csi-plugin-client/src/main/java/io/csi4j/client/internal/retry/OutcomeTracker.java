package io.csi4j.client.internal.retry;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tracks whether the attempts of one call leave an unknown outcome. An attempt without a response may still take effect, even if a later
 * attempt was refused.
 */
final class OutcomeTracker {
    /** Whether the call repeats an earlier call with an unknown outcome. */
    private volatile boolean replay;
    /** Whether the outcome of at least one attempt of this call is unknown. */
    private volatile boolean lost;

    void replays(boolean unresolved) {
        replay = unresolved;
    }

    void tried(Rpc rpc, Throwable failure, boolean sent) {
        if (sent && rpc.changesState() && outcome(failure) == CallOutcome.OUTCOME_UNKNOWN) {
            lost = true;
        }
    }

    private static CallOutcome outcome(Throwable failure) {
        return failure instanceof CsiCallException call ? call.outcome() : CallOutcome.OUTCOME_UNKNOWN;
    }

    /** Returns the effect that the end of the call has on the queue of its volume. */
    QueueExit end(Rpc rpc, @Nullable Throwable failure) {
        if (!UnknownOutcome.possible(rpc)) {
            return QueueExit.NOTHING;
        }
        if (failure == null) {
            return QueueExit.DONE;
        }
        if (checked(failure)) {
            return QueueExit.ANSWERED;
        }
        return lost ? QueueExit.UNKNOWN : QueueExit.NOTHING;
    }

    /**
     * Returns whether the plugin checked the volume before it refused the call. A plugin that refuses for missing permissions or capacity
     * may not have checked the volume.
     */
    private static boolean checked(Throwable failure) {
        CallOutcome outcome = outcome(failure);
        if (outcome == CallOutcome.OUTCOME_UNKNOWN || !(failure instanceof CsiCallException call)) {
            return false;
        }
        return outcome == CallOutcome.CHANGE_REQUEST
                || call.code() == StatusCode.NOT_FOUND
                || call.code() == StatusCode.FAILED_PRECONDITION;
    }

    /**
     * Returns the exception for the caller: the failure, or a copy whose message also has the number of attempts, or
     * says that an earlier attempt has an unknown outcome.
     */
    Throwable notify(Throwable failure, int attempts, Duration spent) {
        if (!(failure instanceof CsiCallException call)) {
            return failure;
        }
        boolean uncertain =
                call.rpc().changesState() && (lost || replay) && call.outcome() != CallOutcome.OUTCOME_UNKNOWN;
        if (attempts < 2 && !uncertain) {
            return failure;
        }
        String note = attempts < 2
                ? ""
                : String.format(
                        Locale.ROOT, " It was tried %d times within %.1f s.", attempts, spent.toMillis() / 1_000.0);
        String added = note
                + (uncertain
                        ? " An earlier try had no definite answer, so whether that took effect is unknown:"
                                + " call again with the same fields"
                                + call.rpc()
                                        .opposite()
                                        .map(undo -> ", or undo it with " + undo.csiName() + ".")
                                        .orElse(".")
                        : "");
        return new CsiCallException(
                call.rpc(),
                call.plugin(),
                call.volume().orElse(null),
                call.code(),
                uncertain ? CallOutcome.OUTCOME_UNKNOWN : call.outcome(),
                call.getMessage() + added,
                call.summary() + added,
                call.getCause());
    }
}
