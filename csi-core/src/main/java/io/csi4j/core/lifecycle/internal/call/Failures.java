package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NoControllerException;
import io.csi4j.core.lifecycle.UncertainCommandException;
import io.csi4j.core.spi.LogClosedException;
import org.jspecify.annotations.Nullable;

/** Interprets failures of futures. */
public final class Failures {
    private Failures() {}

    /** Returns the failure without the wrappers of futures. */
    public static Throwable of(Throwable failure) {
        return Futures.unwrap(failure);
    }

    /** Returns the failure of an operation whose command got no answer. */
    public static CsiException ofLog(Throwable failure) {
        Throwable cause = of(failure);
        return cause instanceof LogClosedException closed ? closed : new UncertainCommandException(cause);
    }

    /** Returns the status code of a failed call; UNKNOWN for other failures. */
    public static StatusCode code(@Nullable Throwable failure) {
        if (failure == null) {
            return StatusCode.OK;
        }
        return of(failure) instanceof CsiCallException call ? call.code() : StatusCode.UNKNOWN;
    }

    /**
     * Returns the failure as text for operators. Only messages of csi4j are shown; messages of others may contain secrets.
     */
    static String text(Throwable failure) {
        Throwable cause = of(failure);
        String message = cause.getMessage();
        return cause instanceof CsiException && message != null
                ? message
                : "the call failed with " + cause.getClass().getSimpleName();
    }

    /** Returns the failure as text without any message of a plugin, so that it may be stored. */
    public static String stored(Throwable failure) {
        return of(failure) instanceof CsiException known ? known.summary() : text(failure);
    }

    /**
     * Returns whether a failed call is known to have changed nothing, because the plugin said so or the call was not sent.
     */
    public static boolean clear(Throwable failure) {
        Throwable cause = of(failure);
        return cause instanceof NoControllerException
                || cause instanceof NoSecretsException
                || cause instanceof OvertakenException
                || outcome(cause) != CallOutcome.OUTCOME_UNKNOWN;
    }

    /** Returns the outcome of a failed call; unknown for failures that are not a plugin's response. */
    public static CallOutcome outcome(Throwable failure) {
        return of(failure) instanceof CsiCallException call ? call.outcome() : CallOutcome.OUTCOME_UNKNOWN;
    }
}
