package io.csi4j.testkit.fault;

import java.time.Duration;

/** A fault rule that a plugin has. Thread-safe. */
public interface Fault {
    /** Returns the rule. */
    FaultRule rule();

    /** Returns the number of calls that the rule has changed. */
    long used();

    /**
     * Waits until the rule has acted on a number of calls, counted from its beginning.
     *
     * @param count the number of calls
     * @param atMost the longest time to wait
     * @throws IllegalStateException with the rule, if the time is over
     */
    void awaitUse(long count, Duration atMost);

    /**
     * Removes the rule. Calls that hang because of it are handled now. Removing it again has no effect.
     */
    void remove();
}
