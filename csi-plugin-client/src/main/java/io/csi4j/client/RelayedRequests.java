package io.csi4j.client;

import com.google.protobuf.Message;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.rpc.CsiMessage;
import org.jspecify.annotations.Nullable;

/**
 * Requests that came as messages, held to what a request of ours is held to when it is built (R16-R25): by building
 * it. What arrives here was made elsewhere, perhaps by another version, or by none of ours.
 */
final class RelayedRequests {
    private RelayedRequests() {}

    /** Why the request must not be sent; null if it may be. */
    static @Nullable RuntimeException refusal(Rpc rpc, Message request) {
        try {
            read(rpc, request);
            return null;
        } catch (CsiRequestException refused) {
            return refused;
        }
    }

    /**
     * The same request as one of ours.
     *
     * @throws CsiRequestException if it breaks a rule
     */
    static CsiMessage read(Rpc rpc, Message request) {
        RequestReading reading = new RequestReading(rpc.csiName() + "Request");
        return switch (rpc.service()) {
            case GROUP_CONTROLLER -> RelayedGroupRequests.read(rpc, request, reading);
            case SNAPSHOT_METADATA -> RelayedMetadataRequests.read(rpc, request, reading);
            default -> RelayedControllerRequests.read(rpc, request, reading);
        };
    }
}
