package io.csi4j.core.lifecycle.internal.wait;

import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.volume.Volume;
import org.jspecify.annotations.Nullable;

/** The calls that a caller waits for, besides the row. */
@FunctionalInterface
public interface AwaitedCalls {
    /** The caller waits for the row only. */
    AwaitedCalls NONE = (target, volume) -> false;

    /**
     * Returns whether a call is one of these calls. Such a call uses the secrets of the caller.
     *
     * @param volume the volume for which the call is sent
     */
    boolean include(CallTarget target, Volume volume);

    /**
     * Returns whether the row alone does not fail the wait while one of these calls is in flight, because only the end
     * of the call tells what became of the volume.
     */
    default boolean precedeRow() {
        return true;
    }

    /** Returns whether a failed call ends the wait. */
    default boolean endWith(Throwable failure) {
        return RetryLoop.isPermanent(failure);
    }

    /** Notes that one of these calls begins. */
    default void begin(CallTarget target) {}

    /**
     * Notes that one of these calls has ended, and that its result is stored.
     *
     * @param answer the answer; null if there is none
     */
    default void end(CallTarget target, @Nullable Object answer) {}
}
