package io.csi4j.core.spi;

/** A scheduled task that can be cancelled. */
@FunctionalInterface
public interface Cancellable {
    /** Cancels the task. Does nothing if the task has started, has ended, or was cancelled before. Never blocks. */
    void cancel();
}
