package io.csi4j.client.internal.retry;

/** A call that waits in a queue. {@link VolumeOrdering} holds no lock when it calls these methods. */
interface QueuedCall {
    CallTarget target();

    /**
     * Begins the call, which is now the running call of its queue until it leaves the queue.
     *
     * @param replay whether the call repeats an earlier call with an unknown outcome
     */
    void admitted(boolean replay);

    /** Notifies the call that it has to wait for another call in the queue. */
    void waits();

    /** Rejects this call, because an earlier call in the queue has an unknown outcome and blocks it. */
    void refused(UnknownOutcome by);
}
