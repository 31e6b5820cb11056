package io.csi4j.simulation.internal;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Switches the engine's lines in {@code java.util.logging} off while simulations run: each simulated fault would write a
 * warning, and the report of a violation would be lost among thousands. A level that is set for {@code io.csi4j} stays.
 */
final class SilentLog implements AutoCloseable {
    private static final Logger ENGINE = Logger.getLogger("io.csi4j");
    private static int simulations;
    private static boolean switched;

    private SilentLog() {}

    /** Begins a simulation; close the answer at its end. */
    static SilentLog begin() {
        synchronized (SilentLog.class) {
            if (simulations++ == 0 && ENGINE.getLevel() == null) {
                ENGINE.setLevel(Level.OFF);
                switched = true;
            }
        }
        return new SilentLog();
    }

    @Override
    public void close() {
        synchronized (SilentLog.class) {
            if (--simulations == 0 && switched) {
                ENGINE.setLevel(null);
                switched = false;
            }
        }
    }
}
