package io.csi4j.client.retry;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The end of one attempt of a call. Contains nothing of the request or the response, so it may be logged and counted.
 *
 * @param rpc the RPC
 * @param plugin the plugin's name for messages
 * @param code the status code; OK means a usable response; a failure without a status is reported as UNKNOWN
 * @param number the number of the attempt, from 1
 * @param duration the duration of the attempt, without the time that the call waited for other calls about the volume; for a stream, the
 *     time until its end
 * @param backoff the backoff before the next attempt; empty: this was the last attempt
 */
public record AttemptEvent(
        Rpc rpc, String plugin, StatusCode code, int number, Duration duration, Optional<Duration> backoff) {
    public AttemptEvent {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(duration, "duration");
        Objects.requireNonNull(backoff, "backoff");
    }
}
