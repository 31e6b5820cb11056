package io.csi4j.ratis.internal.submit;

/** Limits the number and size of commands without an outcome. Thread-safe. */
final class PendingLimit {
    private final int mostCommands;
    private final long mostBytes;

    // The monitor of this object guards the fields below.
    private int commands;
    private long bytes;

    PendingLimit(int mostCommands, long mostBytes) {
        this.mostCommands = mostCommands;
        this.mostBytes = mostBytes;
    }

    /**
     * Admits a command if the limits permit it. A command that is larger than the limit in bytes is admitted while no
     * other command is pending.
     */
    synchronized boolean tryAcquire(int size) {
        if (commands >= mostCommands || (commands > 0 && bytes + size > mostBytes)) {
            return false;
        }
        commands++;
        bytes += size;
        return true;
    }

    synchronized void release(int size) {
        commands--;
        bytes -= size;
    }

    @Override
    public synchronized String toString() {
        return commands + " of " + mostCommands + " commands, " + bytes + " of " + mostBytes + " bytes";
    }
}
