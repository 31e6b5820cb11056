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

/** Reads what a future failed with. */
public final class Failures {
    private Failures() {}

    /** What failed, without the wrappers that futures put around it. */
    public static Throwable of(Throwable failure) {
        return Futures.unwrap(failure);
    }

    /** What a command that got no answer means for the operation it was part of. */
    public static CsiException ofLog(Throwable failure) {
        Throwable why = of(failure);
        return why instanceof LogClosedException closed ? closed : new UncertainCommandException(why);
    }

    /** The status of a call; UNKNOWN where it failed otherwise. */
    public static StatusCode code(@Nullable Throwable failure) {
        if (failure == null) {
            return StatusCode.OK;
        }
        return of(failure) instanceof CsiCallException call ? call.code() : StatusCode.UNKNOWN;
    }

    /** For an operator. Messages of ours are made for that; what others throw may hold anything (I10). */
    static String text(Throwable failure) {
        Throwable why = of(failure);
        String message = why.getMessage();
        return why instanceof CsiException && message != null
                ? message
                : "the call failed with " + why.getClass().getSimpleName();
    }

    /** The same without any text of a plugin's: what may be stored. */
    public static String stored(Throwable failure) {
        return of(failure) instanceof CsiException known ? known.summary() : text(failure);
    }

    /** Whether a call that failed is known to have changed nothing: it was answered so, or was not sent. */
    public static boolean clear(Throwable failure) {
        Throwable why = of(failure);
        return why instanceof NoControllerException
                || why instanceof NoSecretsException
                || why instanceof OvertakenException
                || outcome(why) != CallOutcome.OUTCOME_UNKNOWN;
    }

    /** What the failure of a call means; what is no answer of a plugin leaves the outcome unknown. */
    public static CallOutcome outcome(Throwable failure) {
        return of(failure) instanceof CsiCallException call ? call.outcome() : CallOutcome.OUTCOME_UNKNOWN;
    }
}
