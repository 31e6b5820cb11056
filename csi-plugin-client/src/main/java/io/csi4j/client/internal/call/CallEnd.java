package io.csi4j.client.internal.call;

import io.grpc.Status;

/**
 * The ways in which a call ends without a response of its peer, as the status of gRPC and the trace of the call show them. The texts about
 * them differ: a plugin, a server and an agent have different remedies.
 */
public enum CallEnd {
    /** No response came within the deadline; possibly no connection came about either. */
    LATE,
    /** This side cancelled the call. */
    CANCELLED,
    /** A message was larger than its receiver accepts; {@link MessageTooLarge} has the sizes. */
    TOO_LARGE,
    /** No part of the request was written. */
    NOT_SENT,
    /** The connection broke after the request was written. */
    BROKEN,
    /** The peer sent something that is no response of gRPC. */
    INVALID;

    /** Returns the way in which a call ended whose status is not OK and does not come from the peer. */
    public static CallEnd of(Status status, CallTrace trace) {
        if (MessageTooLarge.of(status).isPresent()) {
            return TOO_LARGE;
        }
        return switch (status.getCode()) {
            case DEADLINE_EXCEEDED -> LATE;
            // If gRPC cannot read the response, it cancels the call, with the reason as cause.
            case CANCELLED -> status.getCause() == null ? CANCELLED : INVALID;
            case UNAVAILABLE, RESOURCE_EXHAUSTED -> trace.sent() ? BROKEN : NOT_SENT;
            case INTERNAL, UNKNOWN, DATA_LOSS -> trace.sent() ? INVALID : NOT_SENT;
            default -> INVALID;
        };
    }
}
