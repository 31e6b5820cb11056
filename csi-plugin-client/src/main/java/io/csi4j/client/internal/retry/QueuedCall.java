package io.csi4j.client.internal.retry;

/** A call that waits in a queue. {@link VolumeOrdering} calls its methods without a lock. */
interface QueuedCall {
    CallTarget target();

    /**
     * Begins the call, which keeps the queue until it leaves.
     *
     * @param replay whether it repeats a call with an unknown outcome
     */
    void admitted(boolean replay);

    /** Notes that another call is first in the queue. */
    void waits();

    /** Rejects the call because of a call with an unknown outcome. */
    void refused(UnknownOutcome by);
}
