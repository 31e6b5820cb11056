package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NoControllerException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.UncertainCommandException;
import io.csi4j.core.spi.CommandTooLargeException;
import io.csi4j.core.spi.LogClosedException;
import org.jspecify.annotations.Nullable;

/** Interprets the failures with which futures end. */
public final class Failures {
    private Failures() {}

    /**
     * Returns the exception with which an operation fails after a failure of the log. The outcome of the operation's
     * command is then unknown, unless the log is closed or has no room for the command.
     */
    public static CsiException ofLog(Throwable failure) {
        Throwable cause = Futures.unwrap(failure);
        if (cause instanceof LogClosedException closed) {
            return closed;
        }
        return cause instanceof CommandTooLargeException large ? large : new UncertainCommandException(cause);
    }

    /** Returns the status code of a failed call; UNKNOWN for other failures. */
    public static StatusCode code(@Nullable Throwable failure) {
        if (failure == null) {
            return StatusCode.OK;
        }
        return Futures.unwrap(failure) instanceof CsiCallException call ? call.code() : StatusCode.UNKNOWN;
    }

    /**
     * Returns a failure as text for operators. The text has the messages of csi4j's own exceptions only, because other
     * messages may contain secrets.
     */
    public static String text(Throwable failure) {
        Throwable cause = Futures.unwrap(failure);
        String message = cause.getMessage();
        return cause instanceof CsiException && message != null
                ? message
                : "the call failed with " + cause.getClass().getSimpleName();
    }

    /** Returns a failure as text that may be stored: without any message of a plugin. */
    public static String textToStore(Throwable failure) {
        return Futures.unwrap(failure) instanceof CsiException known ? known.summary() : text(failure);
    }

    /**
     * Returns whether a failed call is known to have changed nothing, because the plugin said so or the call was not sent.
     * RESOURCE_EXHAUSTED does not say so: the storage provider may have limited the plugin's requests after the volume
     * was created.
     */
    public static boolean changedNothing(Throwable failure) {
        Throwable cause = Futures.unwrap(failure);
        return cause instanceof NoControllerException
                || cause instanceof NoSecretsException
                || cause instanceof OvertakenException
                || (outcome(cause) != CallOutcome.OUTCOME_UNKNOWN && code(cause) != StatusCode.RESOURCE_EXHAUSTED);
    }

    /**
     * Returns the outcome class of a failed call. For failures that are not a plugin's response, the class is unknown.
     */
    public static CallOutcome outcome(Throwable failure) {
        return Futures.unwrap(failure) instanceof CsiCallException call ? call.outcome() : CallOutcome.OUTCOME_UNKNOWN;
    }

    /** Returns whether a command was rejected because the volume was removed in the meantime. */
    public static boolean isVolumeNotFound(Throwable lost) {
        return lost instanceof RejectedException rejected && rejected.reason() instanceof Rejection.VolumeNotFound;
    }
}
