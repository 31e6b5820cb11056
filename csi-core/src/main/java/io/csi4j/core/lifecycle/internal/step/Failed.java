package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Retry;
import java.util.Optional;

/** Describes failed attempts at a requested change, for the row. */
final class Failed {
    private Failed() {}

    /**
     * Returns the failed attempt. It has no time for the next attempt if the plugin refused permanently.
     *
     * @param before the attempts before this one
     * @param call the index of the command that recorded the start of the call; 0 if no command did
     * @param believed whether a permanent refusal is final; false if an earlier call may have taken effect, so that the
     *     call is retried
     */
    static Attempt attempt(Operations operations, Throwable failure, Retry before, long call, boolean believed) {
        return RetryLoop.isPermanent(failure) && believed
                ? new Attempt(Failures.textToStore(failure), Optional.empty(), call)
                : operations.retryLoop().failedAttempt(failure, before, call);
    }
}
