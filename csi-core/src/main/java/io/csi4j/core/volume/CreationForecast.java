package io.csi4j.core.volume;

/** The prospects of a creation that is not finished, as the answers to its calls show them. */
public enum CreationForecast {
    /** No call has failed without a clear answer: the first call has not ended, or each call certainly made nothing. */
    IN_PROGRESS,
    /**
     * Each call that may have made the volume was answered with RESOURCE_EXHAUSTED: the plugin has no room for the
     * volume in the requested place. A scheduler may withdraw the creation and create the volume elsewhere.
     */
    NO_ROOM,
    /** A call had no clear answer, so the volume may exist at the storage provider. The next answer may show it. */
    UNCLEAR
}
