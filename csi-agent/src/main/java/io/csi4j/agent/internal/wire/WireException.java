package io.csi4j.agent.internal.wire;

import io.csi4j.core.call.StatusCode;
import io.grpc.Status;
import java.time.Duration;

/** Reports a request that got no response. */
public final class WireException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int MAX_TEXT = 800;

    private final boolean sent;
    private final StatusCode code;
    private final String cure;
    /** Whether the connection was closed before the request was written to it. */
    private final boolean unwritten;

    private WireException(boolean sent, StatusCode code, String reason) {
        this(sent, code, reason, "", false);
    }

    private WireException(boolean sent, StatusCode code, String reason, String cure, boolean unwritten) {
        super(reason, null, false, false);
        this.sent = sent;
        this.code = code;
        this.cure = cure;
        this.unwritten = unwritten;
    }

    /**
     * Returns the exception for a call that gRPC ended without a response.
     *
     * @param status gRPC's status
     * @param sent whether any part of the request was written
     * @param reported whether the peer itself sent the status
     * @param deadline the deadline of the call
     */
    public static WireException of(Status status, boolean sent, boolean reported, Duration deadline) {
        MessageTooLarge tooLarge = MessageTooLarge.of(status).orElse(null);
        if (tooLarge != null) {
            return reported && status.getCause() == null ? notRead(tooLarge) : answerNotRead(tooLarge);
        }
        return switch (status.getCode()) {
            case DEADLINE_EXCEEDED ->
                new WireException(
                        sent,
                        sent ? StatusCode.DEADLINE_EXCEEDED : StatusCode.UNAVAILABLE,
                        (sent ? "there is no answer within " : "no connection came about within ") + deadline.toMillis()
                                + " ms");
            case CANCELLED ->
                new WireException(sent, sent ? StatusCode.CANCELLED : StatusCode.UNAVAILABLE, "it was cancelled");
            default ->
                // Reports UNAVAILABLE only if nothing was sent; otherwise the peer may have received the request.
                new WireException(
                        sent,
                        sent ? StatusCode.UNKNOWN : StatusCode.UNAVAILABLE,
                        (sent ? "the connection broke, or the other side cannot serve it: " : "no connection: ")
                                + text(status));
        };
    }

    /** Returns the exception for a request whose connection was closed before the request was written to it. */
    static WireException notReceived(Status status, Duration deadline) {
        WireException failure = of(status, false, false, deadline);
        return new WireException(failure.sent, failure.code, failure.explained(), "", true);
    }

    /** Returns the exception for a request that was too large for the peer. The request counts as not sent. */
    private static WireException notRead(MessageTooLarge tooLarge) {
        return new WireException(
                false,
                StatusCode.UNAVAILABLE,
                "the message has " + tooLarge.bytes() + " bytes, and the other side accepts " + tooLarge.limit(),
                "raise maxInboundMessageSize there, of the builder of its NodeAgent or AgentServer",
                false);
    }

    private static WireException answerNotRead(MessageTooLarge tooLarge) {
        return new WireException(
                true,
                StatusCode.UNKNOWN,
                "the answer has " + tooLarge.bytes() + " bytes, and this side accepts " + tooLarge.limit(),
                "raise maxInboundMessageSize here, of the builder of the RemoteNodeGateway or NodeAgent",
                false);
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

    /** Returns whether the request was not written because its connection was closed, so that it can be sent again at once. */
    boolean isUnwritten() {
        return unwritten;
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
