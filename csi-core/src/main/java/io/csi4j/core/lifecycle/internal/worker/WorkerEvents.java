package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.step.StepEvents;

/** The events that workers report to the rest of the engine. */
public interface WorkerEvents extends StepEvents {
    /** The capabilities or the health of a plugin have changed. */
    void pluginsChanged();

    /**
     * A call that began in an earlier term of leadership has ended. If the engine leads again, it plans for the volume.
     */
    void lateCallEnded(VolumeKey key);

    /** Returns whether a claim waits for a volume. */
    boolean isClaimAwaited(VolumeKey key);
}
