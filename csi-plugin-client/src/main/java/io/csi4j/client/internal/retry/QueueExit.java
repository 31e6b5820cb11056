package io.csi4j.client.internal.retry;

/** What a call that leaves its lane tells about its volume. */
enum QueueExit {
    /** The plugin did it. */
    DONE,
    /** The plugin looked, and said for certain what is the matter. */
    ANSWERED,
    /** It may have taken effect, or may do so yet. */
    UNKNOWN,
    /** Nothing: it only read, it was not sent, or the plugin did not look. */
    NOTHING
}
