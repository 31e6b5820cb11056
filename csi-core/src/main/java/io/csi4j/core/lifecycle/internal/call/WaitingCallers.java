package io.csi4j.core.lifecycle.internal.call;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The callers on this server that wait for the end of a call. They get the result after it is stored.
 *
 * @param <R> the type of the answer
 */
public interface WaitingCallers<R> {
    /** Returns no callers: the engine makes the call for itself. */
    static <R> WaitingCallers<R> none() {
        return new WaitingCallers<>() {
            @Override
            public Caller secretsOf() {
                return Caller.ENGINE;
            }

            @Override
            public void callEnded(@Nullable R answer, Optional<Throwable> failure) {
                // There is no caller.
            }
        };
    }

    /** Returns the caller whose secrets the call uses. */
    Caller secretsOf();

    /**
     * Ends the wait for the call.
     *
     * @param answer the answer; null if there is none
     * @param failure the failure for the callers; empty if there is none
     */
    void callEnded(@Nullable R answer, Optional<Throwable> failure);
}
