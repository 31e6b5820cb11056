package io.csi4j.shell;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Elapsed time, and waits between two attempts. */
interface Pause {
    /** Returns nanoseconds since some moment. */
    long nanos();

    /** Waits; an interrupt ends the wait. */
    void pause(Duration time);

    /** Returns the time of the system. */
    static Pause system() {
        return new Pause() {
            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            public void pause(Duration time) {
                LockSupport.parkNanos(time.toNanos());
            }
        };
    }
}
