package io.csi4j.client.internal.retry;

/** A call that wants into a lane. Told by {@link VolumeOrdering}, never while a lock is held. */
interface QueuedCall {
    /** What is called. */
    CallTarget target();

    /** The lane is its own until it leaves. {@code replay}: it repeats a call whose outcome is unknown. */
    void admitted(boolean replay);

    /** Another call is in the lane. */
    void waits();

    /** An unknown outcome bars the lane. */
    void refused(UnknownOutcome by);
}
