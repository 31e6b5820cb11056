package io.csi4j.client.internal.call;

import io.csi4j.client.Endpoint;
import io.csi4j.client.internal.call.CallFailures.Reason;
import io.csi4j.client.internal.text.Durations;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.client.internal.text.TextSanitizer;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.grpc.Status;
import java.time.Duration;

/**
 * The one place that knows gRPC's statuses. Makes of each the exception that callers see.
 *
 * <p>What a plugin says is data for people (R32), and untrusted: it may be long, may hold what a terminal
 * obeys, and often repeats the request, secrets included. gRPC's own exception holds that text, so it is
 * never attached as a cause.
 */
public final class StatusMapper {
    private static final String NOT_SENT =
            "The call was not sent, so it changed nothing: call again with the same fields once the plugin serves.";

    private static final String OVER_LIMIT = "gRPC message exceeds maximum size";
    private static final String OVER_LIMIT_COMPRESSED = "Decompressed gRPC message exceeds maximum size";

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

    /** The plugin and where it is, for messages. */
    public String label() {
        String where = endpoint.toString();
        return plugin.equals(where) ? where : plugin + " at " + where;
    }

    /**
     * The exception for a call that ended with a status other than OK.
     *
     * @param status how gRPC ended it
     * @param trace how far it came
     * @param waited the deadline it had
     */
    public CsiCallException failed(RpcCall<?, ?> call, Status status, CallTrace trace, Duration waited) {
        SensitiveValues sensitive = call.sensitive().get().id(plugin);
        // What comes over the wire never has a cause.
        boolean plugins = trace.answered() && status.getCause() == null;
        Reason reason = plugins ? plugins(status, sensitive) : ours(call, status, trace, waited, sensitive);
        return failures.of(call, reason);
    }

    /** The exception for a call whose answer was OK, and could not be used. */
    public CsiCallException unusable(RpcCall<?, ?> call, String problem) {
        return failures.unusable(call, problem, null);
    }

    /** The exception for an answer that a decoder could not read. */
    public CsiCallException unusable(RpcCall<?, ?> call, RuntimeException problem) {
        return failures.unusable(call, problem);
    }

    /** The exception for a stream on which nothing came for too long, though something was asked for. */
    public CsiCallException silent(RpcCall<?, ?> call, CallTrace trace, Duration silence) {
        return failures.of(call, late(silence, trace));
    }

    /** The exception for a call that was in flight when its client was closed. */
    public CsiCallException closed(RpcCall<?, ?> call) {
        return failures.of(
                call, new Reason(StatusCode.CANCELLED, "the client was closed while the call was in flight", ""));
    }

    private static StatusCode code(Status status) {
        // By name: the names of the two are the same, and UNKNOWN stands for every number that gRPC does not know.
        return StatusCode.valueOf(status.getCode().name());
    }

    /** The plugin's own word. */
    private static Reason plugins(Status status, SensitiveValues sensitive) {
        String said = status.getDescription();
        return said == null || said.isBlank()
                ? new Reason(code(status), "the plugin gave no reason", "")
                : new Reason(code(status), "", "the plugin says: " + stripEnd(TextSanitizer.clean(said, sensitive)));
    }

    private static String stripEnd(String text) {
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }

    /** No word from the plugin: gRPC, or the way to the plugin, ended the call. */
    private Reason ours(
            RpcCall<?, ?> call, Status status, CallTrace trace, Duration waited, SensitiveValues sensitive) {
        return switch (status.getCode()) {
            case DEADLINE_EXCEEDED -> late(waited, trace);
            case CANCELLED -> cancelled(call, status, sensitive);
            case RESOURCE_EXHAUSTED -> overLimit(status) ? tooLarge(call) : unavailable(status, trace, sensitive);
            case UNAVAILABLE -> unavailable(status, trace, sensitive);
            case INTERNAL, UNKNOWN, DATA_LOSS ->
                trace.sent() ? invalid(code(status), status, sensitive) : unavailable(status, trace, sensitive);
            // What gRPC makes of a stranger's HTTP status (404: UNIMPLEMENTED) is no decision of the plugin's.
            default -> invalid(StatusCode.UNAVAILABLE, status, sensitive);
        };
    }

    /** Without gRPC's words: they may hold a whole stack trace. */
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

    private Reason cancelled(RpcCall<?, ?> call, Status status, SensitiveValues sensitive) {
        if (status.getCause() == null) {
            return new Reason(StatusCode.CANCELLED, "the call was cancelled", localWords(status, sensitive));
        }
        // gRPC cancels a call whose answer it cannot read, and keeps the reason as the cause.
        Status reason = Status.fromThrowable(status.getCause());
        return overLimit(reason) ? tooLarge(call) : invalid(StatusCode.INTERNAL, reason, sensitive);
    }

    private static boolean overLimit(Status status) {
        String words = status.getDescription();
        return status.getCode() == Status.Code.RESOURCE_EXHAUSTED
                && words != null
                && (words.startsWith(OVER_LIMIT) || words.startsWith(OVER_LIMIT_COMPRESSED));
    }

    /** The plugin is through with the call and said so; only we do not know what it said. */
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

    private Reason invalid(StatusCode code, Status status, SensitiveValues sensitive) {
        return new Reason(code, "no valid answer from " + endpoint, localWords(status, sensitive));
    }

    private Reason unavailable(Status status, CallTrace trace, SensitiveValues sensitive) {
        if (trace.sent()) {
            return new Reason(
                    StatusCode.UNAVAILABLE,
                    "the connection to " + endpoint
                            + " broke while the call was in flight: the plugin has stopped, crashed or hung up",
                    localWords(status, sensitive));
        }
        String why = Unreachable.why(endpoint, status.getCause());
        return new Reason(
                StatusCode.UNAVAILABLE,
                why == null ? "no usable connection to " + endpoint : why,
                why == null ? localWords(status, sensitive) : "",
                null,
                NOT_SENT);
    }

    /** What gRPC and its causes say, treated like a plugin's words: some of it is. */
    private static String localWords(Status status, SensitiveValues sensitive) {
        StringBuilder words = new StringBuilder();
        String description = status.getDescription();
        if (description != null) {
            words.append(description);
        }
        Throwable cause = status.getCause();
        for (int depth = 0; cause != null && depth < 4; depth++, cause = cause.getCause()) {
            String text = cause.getMessage();
            if (text != null && words.indexOf(text) < 0) {
                words.append(words.isEmpty() ? "" : ": ").append(text);
            }
        }
        return words.isEmpty() ? "" : " (" + TextSanitizer.clean(words.toString(), sensitive) + ")";
    }
}
