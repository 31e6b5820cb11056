package io.csi4j.agent.internal.wire;

import io.csi4j.client.internal.call.CallEnd;
import io.csi4j.client.internal.call.CallTrace;
import io.csi4j.client.internal.call.MessageTooLarge;
import io.csi4j.core.call.StatusCode;
import io.csi4j.node.internal.codec.ShownFailure;
import io.grpc.Status;
import java.time.Duration;

/** Reports a request that got no response. */
public final class WireException extends RuntimeException implements ShownFailure {
    private static final long serialVersionUID = 1L;
    private static final int MAX_TEXT = 800;

    private final boolean sent;
    private final StatusCode code;
    private final String cure;

    private WireException(boolean sent, StatusCode code, String reason) {
        this(sent, code, reason, "");
    }

    private WireException(boolean sent, StatusCode code, String reason, String cure) {
        super(reason, null, false, false);
        this.sent = sent;
        this.code = code;
        this.cure = cure;
    }

    /**
     * Returns the exception for a call that gRPC ended without a response.
     *
     * @param status gRPC's status
     * @param deadline the time limit of the call, for the message
     */
    static WireException of(Status status, CallTrace trace, Duration deadline) {
        boolean sent = trace.sent();
        return switch (CallEnd.of(status, trace)) {
            case TOO_LARGE -> {
                MessageTooLarge message = MessageTooLarge.of(status).orElseThrow();
                yield trace.fromPeer(status) ? notRead(message) : answerNotRead(message);
            }
            case LATE ->
                new WireException(
                        sent,
                        sent ? StatusCode.DEADLINE_EXCEEDED : StatusCode.UNAVAILABLE,
                        (sent ? "there is no answer within " : "no connection came about within ") + deadline.toMillis()
                                + " ms");
            case CANCELLED ->
                new WireException(sent, sent ? StatusCode.CANCELLED : StatusCode.UNAVAILABLE, "it was cancelled");
            // Reports UNAVAILABLE only if nothing was sent; otherwise the peer may have received the request.
            case NOT_SENT, BROKEN, INVALID ->
                new WireException(
                        sent,
                        sent ? StatusCode.UNKNOWN : StatusCode.UNAVAILABLE,
                        (sent ? "the connection broke, or the other side cannot serve it: " : "no connection: ")
                                + text(status));
        };
    }

    /** Returns the exception for an OK without a single response. */
    static WireException noAnswer(String problem) {
        return new WireException(true, StatusCode.UNKNOWN, "the answer cannot be used, " + problem);
    }

    /** Returns the exception for a request that was too large for the peer. The request counts as not sent. */
    private static WireException notRead(MessageTooLarge tooLarge) {
        return new WireException(
                false,
                StatusCode.UNAVAILABLE,
                "the message has " + tooLarge.bytes() + " bytes, and the other side accepts " + tooLarge.limit(),
                "raise maxInboundMessageSize there, of the builder of its NodeAgent or AgentServer");
    }

    private static WireException answerNotRead(MessageTooLarge tooLarge) {
        return new WireException(
                true,
                StatusCode.UNKNOWN,
                "the answer has " + tooLarge.bytes() + " bytes, and this side accepts " + tooLarge.limit(),
                "raise maxInboundMessageSize here, of the builder of the RemoteNodeGateway or NodeAgent");
    }

    /**
     * Returns the exception for an answer that has a field beyond its limit.
     *
     * @param problem the field, its size and the limit
     */
    static WireException unusable(String problem) {
        return new WireException(true, StatusCode.INTERNAL, "the answer cannot be used: " + problem);
    }

    public static WireException closed() {
        return new WireException(false, StatusCode.UNAVAILABLE, "this side was closed before it");
    }

    /**
     * Returns the name of the status code, with the types and messages of the local exceptions that caused it. The
     * description of the status is left out, because the peer may have written it.
     */
    private static String text(Status status) {
        Throwable cause = status.getCause();
        StringBuilder text = new StringBuilder(status.getCode().name());
        for (int depth = 0; cause != null && depth < 4; depth++, cause = cause.getCause()) {
            text.append(", ").append(cause.getClass().getSimpleName());
            if (cause.getMessage() != null) {
                text.append(' ').append(cause.getMessage());
            }
        }
        String all = text.toString().replaceAll("\\p{Cntrl}", " ");
        return all.length() > MAX_TEXT ? all.substring(0, MAX_TEXT) + "..." : all;
    }

    /** Returns whether the request may have been sent; false if it was certainly not sent. */
    public boolean maybeSent() {
        return sent;
    }

    public StatusCode code() {
        return code;
    }

    /** Returns the remedy for the operator; empty if only a later attempt can help. */
    public String cure() {
        return cure;
    }

    /** Returns the problem, followed by the remedy if one is known. */
    public String explained() {
        return getMessage() + (cure.isEmpty() ? "" : "; " + cure);
    }
}
