package io.csi4j.client.retry;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * One try of a call has ended. Holds nothing of the request or the answer, so it may be logged and counted as it is.
 *
 * @param rpc which RPC
 * @param plugin the plugin, as messages call it
 * @param code how it ended; OK: with a usable answer; UNKNOWN: also with what is no status at all
 * @param number which try of the call this was, from 1
 * @param took from the beginning of the try to its end, which is that of the stream where there are many answers, without the wait for the call's turn
 * @param pause how long until the next try; empty: this was the last one
 */
public record AttemptEvent(
        Rpc rpc, String plugin, StatusCode code, int number, Duration took, Optional<Duration> pause) {
    public AttemptEvent {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(took, "took");
        Objects.requireNonNull(pause, "pause");
    }
}
