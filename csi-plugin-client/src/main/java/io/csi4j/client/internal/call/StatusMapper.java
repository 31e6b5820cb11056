package io.csi4j.client.internal.call;

import io.csi4j.client.Endpoint;
import io.csi4j.client.internal.call.CallFailures.Reason;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.client.internal.text.TextSanitizer;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.text.Durations;
import io.grpc.Status;
import java.time.Duration;

/**
 * Maps gRPC's statuses to the exceptions for callers. Other classes use a status only to decide whether a call has failed and may be sent again.
 *
 * <p>The text of a plugin is data for people (R32), and untrusted: it may be long, contain control characters, and repeat the request with its secrets. gRPC's own exception contains
 * that text, so it never becomes a cause.
 */
public final class StatusMapper {
    private static final String NOT_SENT =
            "The call was not sent, so it changed nothing: call again with the same fields once the plugin serves.";

    private final String plugin;
    private final Endpoint endpoint;
    private final CallFailures failures;
    private final int maxInboundMessageSize;

    public StatusMapper(String plugin, Endpoint endpoint, CallRules rules, int maxInboundMessageSize) {
        this.plugin = plugin;
        this.failures = new CallFailures(plugin, rules);
        this.endpoint = endpoint;
        this.maxInboundMessageSize = maxInboundMessageSize;
    }

    /** Returns a text with the plugin's name and address, for messages. */
    public String label() {
        String where = endpoint.toString();
        return plugin.equals(where) ? where : plugin + " at " + where;
    }

    /**
     * Returns the exception for a call that did not end with OK.
     *
     * @param status gRPC's status
     * @param trace the progress of the call
     * @param waited the time limit of the call, for the message about an exceeded deadline
     */
    public CsiCallException failed(RpcCall<?, ?> call, Status status, CallTrace trace, Duration waited) {
        SensitiveValues sensitive = call.sensitive().get().id(plugin);
        Reason reason =
                trace.fromPeer(status) ? plugins(status, sensitive) : ours(call, status, trace, waited, sensitive);
        return failures.of(call, reason);
    }

    CallFailures failures() {
        return failures;
    }

    /** Returns the exception for a stream in which no message arrived for too long although the subscriber requested one. */
    public CsiCallException silent(RpcCall<?, ?> call, CallTrace trace, Duration silence) {
        return failures.of(call, late(silence, trace));
    }

    /** Returns the exception for a call that was in flight when the client was closed. */
    public CsiCallException closed(RpcCall<?, ?> call) {
        return failures.of(
                call, new Reason(StatusCode.CANCELLED, "the client was closed while the call was in flight", ""));
    }

    private static StatusCode code(Status status) {
        // Maps the code by its name, which is the same in both enums. gRPC maps every number that it does not know to
        // UNKNOWN.
        return StatusCode.valueOf(status.getCode().name());
    }

    /** Returns the failure reason for a status that the plugin sent. */
    private static Reason plugins(Status status, SensitiveValues sensitive) {
        String said = status.getDescription();
        return said == null || said.isBlank()
                ? new Reason(code(status), "the plugin gave no reason", "")
                : new Reason(code(status), "", "the plugin says: " + stripEnd(TextSanitizer.clean(said, sensitive)));
    }

    private static String stripEnd(String text) {
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }

    /** Returns the failure reason for a call that gRPC or the connection ended. */
    private Reason ours(
            RpcCall<?, ?> call, Status status, CallTrace trace, Duration waited, SensitiveValues sensitive) {
        return switch (CallEnd.of(status, trace)) {
            case LATE -> late(waited, trace);
            case CANCELLED -> new Reason(StatusCode.CANCELLED, "the call was cancelled", localText(status, sensitive));
            case TOO_LARGE -> tooLarge(call);
            case NOT_SENT -> notSent(status, sensitive);
            case BROKEN ->
                new Reason(
                        StatusCode.UNAVAILABLE,
                        "the connection to " + endpoint
                                + " broke while the call was in flight: the plugin has stopped, crashed or hung up",
                        localText(status, sensitive));
            case INVALID -> invalid(status, sensitive);
        };
    }

    /** Returns the failure reason for an exceeded deadline. Omits gRPC's text, which may contain a stack trace. */
    private Reason late(Duration waited, CallTrace trace) {
        String time = Durations.text(waited);
        return trace.sent()
                ? new Reason(StatusCode.DEADLINE_EXCEEDED, "the plugin has not answered within " + time, "")
                : new Reason(
                        StatusCode.DEADLINE_EXCEEDED,
                        "no connection to " + endpoint + " came about within " + time
                                + ": something listens there, but does not serve",
                        "",
                        null,
                        NOT_SENT);
    }

    /**
     * Returns the failure reason for a response over the size limit. The plugin has processed the call, but the content of its response is
     * unknown.
     */
    private Reason tooLarge(RpcCall<?, ?> call) {
        boolean changes = call.rpc().changesState();
        return new Reason(
                StatusCode.RESOURCE_EXHAUSTED,
                "the answer is larger than the " + maxInboundMessageSize + " bytes that this client accepts",
                "",
                changes ? CallOutcome.OUTCOME_UNKNOWN : null,
                "Raise maxInboundMessageSize of the client, then call again with the same fields"
                        + (changes ? "; it may have taken effect." : "."));
    }

    private Reason invalid(Status status, SensitiveValues sensitive) {
        return switch (status.getCode()) {
            case CANCELLED -> invalid(StatusCode.INTERNAL, Status.fromThrowable(status.getCause()), sensitive);
            case INTERNAL, UNKNOWN, DATA_LOSS -> invalid(code(status), status, sensitive);
            // Reports UNAVAILABLE instead of the code that gRPC derives from the HTTP status of a server that does not
            // speak gRPC (404 becomes UNIMPLEMENTED), because the plugin did not send that code.
            default -> invalid(StatusCode.UNAVAILABLE, status, sensitive);
        };
    }

    private Reason invalid(StatusCode code, Status status, SensitiveValues sensitive) {
        return new Reason(code, "no valid answer from " + endpoint, localText(status, sensitive));
    }

    private Reason notSent(Status status, SensitiveValues sensitive) {
        String reason = Unreachable.reason(endpoint, status.getCause());
        return new Reason(
                StatusCode.UNAVAILABLE,
                reason == null ? "no usable connection to " + endpoint : reason,
                reason == null ? localText(status, sensitive) : "",
                null,
                NOT_SENT);
    }

    /**
     * Returns the text of gRPC's status and its causes. Sensitive values are removed from it, because gRPC may quote a
     * text of the plugin.
     */
    private static String localText(Status status, SensitiveValues sensitive) {
        StringBuilder text = new StringBuilder();
        String description = status.getDescription();
        if (description != null) {
            text.append(description);
        }
        Throwable cause = status.getCause();
        for (int depth = 0; cause != null && depth < 4; depth++, cause = cause.getCause()) {
            String message = cause.getMessage();
            if (message != null && text.indexOf(message) < 0) {
                text.append(text.isEmpty() ? "" : ": ").append(message);
            }
        }
        return text.isEmpty() ? "" : " (" + TextSanitizer.clean(text.toString(), sensitive) + ")";
    }
}
