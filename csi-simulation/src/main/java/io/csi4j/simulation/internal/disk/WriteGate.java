package io.csi4j.simulation.internal.disk;

import java.io.IOException;

/** Decides whether a process performs its next write. */
@FunctionalInterface
public interface WriteGate {
    /**
     * Passes before each write of a process.
     *
     * @throws IOException if the process has ended, or the disk refuses the write
     */
    void pass() throws IOException;
}
