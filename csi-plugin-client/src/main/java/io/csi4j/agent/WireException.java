package io.csi4j.agent;

import io.csi4j.core.call.StatusCode;
import io.grpc.Status;
import java.time.Duration;

/** A message that got no answer. */
final class WireException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int MAX_TEXT = 300;

    private final boolean sent;
    private final StatusCode code;

    private WireException(boolean sent, StatusCode code, String why) {
        super(why, null, false, false);
        this.sent = sent;
        this.code = code;
    }

    static WireException of(Status status, boolean sent, Duration deadline) {
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

    static WireException closed() {
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
    boolean sent() {
        return sent;
    }

    StatusCode code() {
        return code;
    }
}
