package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.Optional;

/**
 * A planned call about a volume. The step says when the call may be sent, and what its end means for the state; a
 * {@code CallRunner} makes the call. Immutable.
 *
 * @param <R> the type of the answer
 */
public sealed interface CallStep<R> permits ControllerStep, NodeStep {
    /** Returns the RPC for which the volume's row waits. */
    Rpc rpc();

    VolumeKey key();

    /** Returns the part of the volume's row that the call is for. */
    CallTarget target(Volume volume);

    /** Returns the node on whose behalf the call is made; empty if the call is about the volume itself. */
    Optional<NodeId> nodeId();

    /**
     * Returns the volume if the state still has the intent of the call. This is asked twice: before the call waits for
     * its permit, and right before it is sent, because the wait may have been long.
     */
    Optional<Volume> current(StateReader state);

    /** Returns the number of this attempt at the call, from 1. */
    int attempt(Volume volume);

    /**
     * Returns the command that records that the call begins; empty if nothing has to be recorded. It is recorded for
     * calls of which each later leader has to know that their outcome may be unknown.
     */
    default Optional<Command> begins(Volume volume) {
        return Optional.empty();
    }

    /** Returns whether the end of the call is recorded even if this server has stopped leading meanwhile. */
    default boolean outlivesTerm() {
        return true;
    }

    /**
     * Returns what the answer means.
     *
     * @param state the state after the answer
     * @param volume the volume for which the call was sent
     */
    CallEnd done(StateReader state, Volume volume, R answer);

    /**
     * Returns what the failure means.
     *
     * @param state the state after the failure
     * @param volume the volume for which the call was sent, or would have been sent
     * @param failure the failure, without the exceptions that futures wrap around it
     */
    CallEnd failed(StateReader state, Volume volume, Throwable failure);
}
