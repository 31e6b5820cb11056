package io.csi4j.core.lifecycle.internal.wait;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.state.StateReader;
import java.util.Optional;

/**
 * Reads from the state how a wait has ended.
 *
 * @param <R> the type of the result
 */
@FunctionalInterface
public interface RowOutcome<R> {
    /**
     * Reads the result. Several threads may call this method at the same time.
     *
     * @return empty while the wait goes on
     * @throws CsiException if the wait has ended without success
     */
    Optional<R> in(StateReader state);
}
