package io.csi4j.client.internal.retry;

/** The effect of a call's end on the queue of its volume. */
enum QueueExit {
    /** The plugin performed the call. */
    DONE,
    /** The plugin refused the call after it had checked the volume. */
    ANSWERED,
    /** The call may have taken effect, or may still take effect. */
    UNKNOWN,
    /** The call has no effect on the queue: it only reads, was not sent, or was refused before the plugin checked the volume. */
    NOTHING
}
