package io.csi4j.core.internal.replication;

/** Limits the number and size of commands without an outcome. Thread-safe. */
public final class PendingLimit {
    private final int maxCommands;
    private final long maxBytes;

    // The monitor of this object guards the fields below.
    private int commands;
    private long bytes;

    /**
     * Creates a limit without commands.
     *
     * @param maxCommands the largest number of commands
     * @param maxBytes the largest total size
     */
    public PendingLimit(int maxCommands, long maxBytes) {
        this.maxCommands = maxCommands;
        this.maxBytes = maxBytes;
    }

    /**
     * Admits a command if the limits permit it. A command that is larger than the limit in bytes is admitted while no
     * other command is pending.
     */
    public synchronized boolean tryAcquire(int size) {
        if (commands >= maxCommands || (commands > 0 && bytes + size > maxBytes)) {
            return false;
        }
        commands++;
        bytes += size;
        return true;
    }

    /** Gives back what an admitted command has taken. */
    public synchronized void release(int size) {
        commands--;
        bytes -= size;
    }

    /** Returns the number of pending commands. */
    public synchronized int commands() {
        return commands;
    }

    /** Returns the total size of the pending commands in bytes. */
    public synchronized long bytes() {
        return bytes;
    }

    @Override
    public synchronized String toString() {
        return commands + " of " + maxCommands + " commands, " + bytes + " of " + maxBytes + " bytes";
    }
}
