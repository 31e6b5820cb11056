package io.csi4j.shell;

import java.time.Duration;
import java.util.Optional;

/**
 * A request.
 *
 * @param target the path and the query, encoded
 * @param accept the media types of the answer
 * @param key the key by which a server knows a repeated request; empty for a request that reads
 * @param patience how long the server may say nothing
 */
record HttpRequest(String method, String target, String body, String accept, Optional<String> key, Duration patience) {
    /** The longest silence of a server that has no reason to wait. */
    static final Duration SILENCE = Duration.ofSeconds(30);

    static HttpRequest get(String target, Duration patience) {
        return new HttpRequest(
                "GET", target, "", "application/json, application/problem+json", Optional.empty(), patience);
    }
}
