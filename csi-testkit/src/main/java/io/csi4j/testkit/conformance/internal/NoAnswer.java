package io.csi4j.testkit.conformance.internal;

import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;

/**
 * Marks the failures of calls that the plugin has not answered. Their code is made by the client, for example UNAVAILABLE or UNKNOWN while it
 * connects.
 */
final class NoAnswer {
    private static final Metadata.Key<String> MARK =
            Metadata.Key.of("csi4j-no-answer", Metadata.ASCII_STRING_MARSHALLER);

    private NoAnswer() {}

    static Metadata trailers() {
        Metadata marked = new Metadata();
        marked.put(MARK, "true");
        return marked;
    }

    /** Returns whether the code is the client's, and not the plugin's. */
    static boolean is(StatusRuntimeException failure) {
        Metadata trailers = failure.getTrailers();
        return trailers != null && trailers.containsKey(MARK);
    }
}
