package io.csi4j.testkit.fault;

import java.time.Duration;

/** A fault that was set at a plugin. This object shows how often the fault was used, and removes it. Thread-safe. */
public interface Fault {
    /** Returns the rule of this fault: which calls it changes, and how. */
    FaultRule rule();

    /** Returns the number of calls that the rule has changed. */
    long used();

    /**
     * Waits until this fault has changed at least {@code count} calls since it was set.
     *
     * @param count the number of calls
     * @param maxWait the longest time to wait
     * @throws IllegalStateException if that takes longer than {@code maxWait}; the message contains this fault's rule
     */
    void awaitUse(long count, Duration maxWait);

    /**
     * Removes the rule. Calls that hang because of it are handled now. Removing it again has no effect.
     */
    void remove();
}
