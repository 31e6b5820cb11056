package io.csi4j.client.internal.retry;

/** The effect of a call's end on the queue of its volume. */
enum QueueExit {
    /** The plugin performed the call. */
    DONE,
    /** The plugin checked the volume and responded clearly. */
    ANSWERED,
    /** The call may have taken effect, or may still do so. */
    UNKNOWN,
    /** No effect: the call only read, was not sent, or the plugin did not check the volume. */
    NOTHING
}
