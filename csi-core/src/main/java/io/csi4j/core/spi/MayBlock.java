package io.csi4j.core.spi;

/**
 * Marks threads that nobody waits for: what runs on one may block, and holds up nobody else. Implemented by subclasses
 * of {@link Thread}. Where a port completes its futures on such a thread, what follows from an answer may run there, and
 * saves a change of threads. On all others it is handed to the host's executor.
 */
public interface MayBlock {
    /**
     * Asks about the thread that asks.
     *
     * @return whether it may be blocked
     */
    static boolean here() {
        return Thread.currentThread() instanceof MayBlock;
    }
}
