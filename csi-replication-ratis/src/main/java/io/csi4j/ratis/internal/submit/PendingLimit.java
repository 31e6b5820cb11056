package io.csi4j.ratis.internal.submit;

/** Limits the number and size of commands without an outcome. Thread-safe. */
final class PendingLimit {
    private final int mostCommands;
    private final long mostBytes;

    // Guarded by this.
    private int commands;
    private long bytes;

    PendingLimit(int mostCommands, long mostBytes) {
        this.mostCommands = mostCommands;
        this.mostBytes = mostBytes;
    }

    /** Admits a command. A command that is larger than all bytes together is admitted alone. */
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
