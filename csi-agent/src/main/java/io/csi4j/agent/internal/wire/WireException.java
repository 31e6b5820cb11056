package io.csi4j.agent.internal.wire;

import io.csi4j.core.call.StatusCode;
import io.grpc.Status;
import java.time.Duration;

/** A request without an answer. */
public final class WireException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int MAX_TEXT = 300;

    private final boolean sent;
    private final StatusCode code;
    private final String cure;

    private WireException(boolean sent, StatusCode code, String why) {
        this(sent, code, why, "");
    }

    private WireException(boolean sent, StatusCode code, String why, String cure) {
        super(why, null, false, false);
        this.sent = sent;
        this.code = code;
        this.cure = cure;
    }

    /**
     * What became of a message.
     *
     * @param status how gRPC ended the call
     * @param sent whether anything was written
     * @param told whether the status is the other side's own
     * @param deadline how long was waited
     */
    public static WireException of(Status status, boolean sent, boolean told, Duration deadline) {
        MessageTooLarge over = MessageTooLarge.of(status).orElse(null);
        if (over != null) {
            return told && status.getCause() == null ? notRead(over) : answerNotRead(over);
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
                // Broken off: it may have arrived, so it is not what UNAVAILABLE stands for.
                new WireException(
                        sent,
                        sent ? StatusCode.UNKNOWN : StatusCode.UNAVAILABLE,
                        (sent ? "the connection broke, or the other side cannot serve it: " : "no connection: ")
                                + text(status));
        };
    }

    /** The other side has not taken the message, so it is as if it had not been sent. */
    private static WireException notRead(MessageTooLarge over) {
        return new WireException(
                false,
                StatusCode.UNAVAILABLE,
                "the message has " + over.bytes() + " bytes, and the other side accepts " + over.limit(),
                "raise maxInboundMessageSize there, of the builder of its NodeAgent or AgentServer");
    }

    private static WireException answerNotRead(MessageTooLarge over) {
        return new WireException(
                true,
                StatusCode.UNKNOWN,
                "the answer has " + over.bytes() + " bytes, and this side accepts " + over.limit(),
                "raise maxInboundMessageSize here, of the builder of the RemoteNodeGateway or NodeAgent");
    }

    public static WireException closed() {
        return new WireException(false, StatusCode.UNAVAILABLE, "this side was closed before it");
    }

    /** What gRPC says of the connection. What the other side says comes as data; texts of its status are not shown. */
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

    /** False: it certainly did not leave. */
    public boolean sent() {
        return sent;
    }

    public StatusCode code() {
        return code;
    }

    /** What helps; empty: to try again later. */
    public String cure() {
        return cure;
    }

    /** What happened, and what helps if it is known. */
    public String explained() {
        return getMessage() + (cure.isEmpty() ? "" : "; " + cure);
    }
}
