package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.step.StepEvents;
import io.csi4j.core.volume.Volume;
import org.jspecify.annotations.Nullable;

/** The events that workers report to the rest of the engine. */
public interface WorkerEvents extends StepEvents {
    /** The capabilities or the health of a plugin have changed. */
    void pluginsChanged();

    /**
     * A call that began in an earlier term of leadership has ended. If the engine leads again, it plans for the volume.
     */
    void lateCallEnded(VolumeKey key);

    /**
     * A call about a volume has ended; its result is not stored yet.
     *
     * @param volume the volume for which the call was sent
     * @param failure the failure of the call; null if it succeeded
     */
    void callEnded(Rpc rpc, Volume volume, @Nullable Throwable failure);

    /** Returns whether a claim waits for a volume. */
    boolean isClaimAwaited(VolumeKey key);
}
