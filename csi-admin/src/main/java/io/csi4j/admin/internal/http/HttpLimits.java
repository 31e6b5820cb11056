package io.csi4j.admin.internal.http;

import java.time.Duration;

/**
 * The limits for clients: the number of connections, the size of a request, and the time that a client may be silent.
 *
 * @param connections the largest number of connections; at one more, the client that has been silent for longest loses its
 *     connection
 * @param bodyBytes the largest body of a request
 * @param silence the longest wait for a request, for the rest of it, or for a client that does not read its answer
 */
public record HttpLimits(int connections, int bodyBytes, Duration silence) {
    /** The limits of a server that sets none. */
    public static final HttpLimits DEFAULT = new HttpLimits(16_384, 256 * 1024, Duration.ofSeconds(20));
}
