package io.csi4j.simulation.internal.disk;

import java.io.IOException;

/** Decides whether a process performs its next write. */
@FunctionalInterface
public interface WriteGate {
    /**
     * Called before each write of a process. The write is performed if this method returns.
     *
     * @throws IOException if the process has ended, or the disk refuses the write
     */
    void pass() throws IOException;
}
