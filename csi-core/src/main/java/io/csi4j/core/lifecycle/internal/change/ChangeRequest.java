package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.lifecycle.internal.wait.AwaitedCalls;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.Optional;

/**
 * A requested change of a volume: what has to hold for it, the command that stores it, and when it is fulfilled. The
 * calls that it includes are those that the worker makes for it. Immutable.
 *
 * @param <R> the type of the result
 */
public interface ChangeRequest<R> extends AwaitedCalls {
    /** Returns the change as a noun, for operators, for example {@code creation}. */
    String noun();

    /** Returns the change as a verb, for operators, for example {@code create}. */
    String verb();

    /**
     * Checks the request, before anything is stored.
     *
     * @return the volume to change; empty if the request makes a new one
     * @throws CsiException if the request cannot be fulfilled
     */
    Optional<Volume> check(StateReader state);

    /**
     * Returns the command that stores the intent.
     *
     * @param state the present state, which may be newer than that of the check
     * @param asked the volume that {@link #check} returned
     */
    Command intent(StateReader state, Optional<Volume> asked, Instant now);

    /** Returns whether the intent may be stored again if it is not known whether it was stored. */
    default boolean repeatable() {
        return true;
    }

    /**
     * Returns the result of the change.
     *
     * @param asked the volume to change, as it was read or stored for this request
     * @return empty while the change is in progress
     * @throws CsiException if the change ended without success
     */
    Optional<R> result(StateReader state, Volume asked);
}
