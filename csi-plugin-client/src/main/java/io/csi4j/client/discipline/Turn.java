package io.csi4j.client.discipline;

/** A call that wants into a lane. Told by {@link Lanes}, never while a lock is held. */
interface Turn {
    /** What is called. */
    CallTarget target();

    /** The lane is its own until it leaves. {@code replay}: it repeats a call whose outcome is unknown. */
    void admitted(boolean replay);

    /** Another call is in the lane. */
    void waits();

    /** An unknown outcome bars the lane. */
    void refused(Hold by);
}
