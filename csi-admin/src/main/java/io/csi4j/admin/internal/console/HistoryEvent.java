package io.csi4j.admin.internal.console;

import io.csi4j.core.call.RpcService;
import io.csi4j.core.id.VolumeKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One event of a volume.
 *
 * @param at the time of the event; for a call, the time when the call ended
 * @param volume the volume
 * @param kind the kind of event
 * @param text the event in words
 * @param call the call, if the event is a call; otherwise empty
 * @param failed whether the event is a failure
 */
record HistoryEvent(Instant at, VolumeKey volume, Kind kind, String text, Optional<Call> call, boolean failed) {
    enum Kind {
        /** The host claims or releases the volume. */
        FROM_HOST,
        /** The host is informed that a claim is granted or freed, or why it waits. */
        TO_HOST,
        /** The server recorded a change of the volume or of one of its claims. */
        STATE,
        /** A call to a plugin. */
        CALL
    }

    /**
     * A call to a plugin.
     *
     * @param service the service that was called
     * @param node the node of the instance
     * @param rpc the RPC with the number of the attempt
     * @param code the status code in words
     * @param duration the time from sending the request to its end
     */
    record Call(RpcService service, String node, String rpc, String code, Duration duration) {}
}
