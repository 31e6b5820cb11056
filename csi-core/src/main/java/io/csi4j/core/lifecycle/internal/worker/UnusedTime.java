package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;

/**
 * Measures how long a volume that was made for a claim has no claim, and none that waits for it. A new leader begins at zero, so
 * the measured time is never longer than the real one, whatever the clocks of the servers say.
 */
final class UnusedTime {
    private final VolumeWorkers workers;
    /** The volume that is measured, by its create index; 0 while none is. */
    private long measured;

    private long since;

    UnusedTime(VolumeWorkers workers) {
        this.workers = workers;
    }

    Duration of(Volume volume) {
        long now = workers.operations().ports().nanoTime();
        boolean unused = volume.isUnused()
                && volume.phase() == VolumePhase.AVAILABLE
                && !workers.events().isClaimAwaited(volume.key());
        if (!unused) {
            measured = 0;
            return Duration.ZERO;
        }
        if (measured != volume.createIndex()) {
            measured = volume.createIndex();
            since = now;
        }
        return Duration.ofNanos(now - since);
    }
}
