package io.csi4j.client.internal.retry;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import java.time.Duration;
import java.util.Locale;

/** Builds the exception for a call that this client did not send to the plugin, or did not send again as a retry. */
final class NotSent {
    private NotSent() {}

    /** Returns the exception for a call whose volume is blocked by another call with an unknown outcome (R30). */
    static CsiCallException barred(CallTarget call, String plugin, UnknownOutcome by, Duration since) {
        String undo = by.rpc()
                .opposite()
                .map(rpc -> ", or undo it with " + rpc.csiName())
                .orElse("");
        return failure(
                call,
                plugin,
                StatusCode.ABORTED,
                by.description() + " ended " + text(since)
                        + " ago without a definite answer and may take effect yet (R30). Repeat that one with the same"
                        + " fields" + undo + "; then call again.");
    }

    /** Returns the exception for a call whose deadline passed while it waited for earlier calls about its volume (R26). */
    static CsiCallException waited(CallTarget call, String plugin, String before, Duration waited) {
        return failure(
                call,
                plugin,
                StatusCode.DEADLINE_EXCEEDED,
                "it waited " + text(waited) + " for its turn (R26)"
                        + (before.isEmpty() ? "" : ", behind " + before + " which is still under way")
                        + ". Call again, or give it more time.");
    }

    static CsiCallException closed(CallTarget call, String plugin) {
        return failure(
                call, plugin, StatusCode.CANCELLED, "the client was closed before it. Call again with another client.");
    }

    private static CsiCallException failure(CallTarget call, String plugin, StatusCode code, String reason) {
        String message = call.description() + " at plugin " + plugin + " was not sent (" + code + "): " + reason;
        return new CsiCallException(
                call.rpc(), plugin, call.subject(), code, CallOutcome.RETRY_AFTER_CAUSE, message, message, null);
    }

    private static String text(Duration time) {
        return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1_000.0);
    }
}
