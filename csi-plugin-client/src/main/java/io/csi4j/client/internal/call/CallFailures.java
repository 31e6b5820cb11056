package io.csi4j.client.internal.call;

import io.csi4j.client.internal.codec.UnusableAnswerException;
import io.csi4j.client.internal.text.TextSanitizer;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CreatedVolumeException;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.internal.text.Text;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Builds the exceptions for failed calls. A message names the failure, the path or node of the call in case of a
 * conflict, the cause, and the next step for the operator.
 */
public final class CallFailures {
    private final String plugin;
    private final CallRules rules;

    public CallFailures(String plugin, CallRules rules) {
        this.plugin = plugin;
        this.rules = rules;
    }

    /**
     * The reason why a call ended without a response. The outcome and the next step are null if the rules for the status code decide them.
     *
     * @param own the text of this client about the failure; empty if there is none
     * @param said a further text, which may come from the plugin; the message shows it after {@code own}; empty if
     *     there is none
     */
    public record Reason(
            StatusCode code,
            String own,
            String said,
            @Nullable CallOutcome outcome,
            @Nullable String next) {
        Reason(StatusCode code, String own, String said) {
            this(code, own, said, null, null);
        }
    }

    public CsiCallException of(RpcCall<?, ?> call, Reason reason) {
        return of(call, reason, null);
    }

    private CsiCallException of(RpcCall<?, ?> call, Reason reason, @Nullable Throwable cause) {
        Rpc rpc = call.rpc();
        CallOutcome outcome = reason.outcome();
        if (outcome == null) {
            outcome = rules.of(rpc, reason.code(), call.continuesPage()).outcome();
        }
        String next = reason.next() == null ? NextStep.after(rpc, reason.code(), outcome) : reason.next();
        String subject = call.subject();
        String head = rpc.csiName()
                + (subject == null ? "" : " for " + Text.printable(subject))
                + (needsLocation(reason.code()) ? location(call) : "")
                + " at plugin " + Text.printable(plugin)
                + " failed" + (reason.code() == StatusCode.OK ? "" : " (" + reason.code() + ")");
        return new CsiCallException(
                rpc,
                plugin,
                subject,
                reason.code(),
                outcome,
                head + ": " + reason.own() + reason.said() + ". " + next,
                head + (reason.own().isEmpty() ? "" : ": " + reason.own()) + ". " + next,
                cause);
    }

    /** Returns whether a failure is about the path or the node of the call as much as about the volume. */
    private static boolean needsLocation(StatusCode code) {
        return code == StatusCode.ALREADY_EXISTS || code == StatusCode.NOT_FOUND;
    }

    /**
     * Returns the part of the message that names the path or node of a call which failed with a conflict; empty if the
     * call has neither.
     */
    private static String location(RpcCall<?, ?> call) {
        String location = call.location();
        return location.isEmpty() ? "" : " on " + Text.printable(location);
    }

    /** Returns the exception for a response that a decoder rejected. */
    public CsiCallException unusable(RpcCall<?, ?> call, RuntimeException problem) {
        if (problem instanceof UnusableAnswerException unusable) {
            // The text has no text of the plugin.
            String own = TextSanitizer.clean(
                    String.valueOf(problem.getMessage()), call.sensitive().get());
            Optional<CreatedVolumeException> created =
                    unusable.createdVolume().map(ExternalVolumeId::of).map(CreatedVolumeException::new);
            return unusable(
                    call,
                    ": " + own,
                    created.map(each -> "; the plugin has the volume as "
                                    + TextSanitizer.clean(
                                            each.volumeId().value(),
                                            call.sensitive().get()))
                            .orElse(""),
                    created.orElse(null));
        }
        // A decoder that failed is a defect of this client. Only its stack trace is kept, because the text of the
        // exception may contain a part of the response.
        IllegalStateException trace =
                new IllegalStateException("text of " + problem.getClass().getName() + " not shown");
        trace.setStackTrace(problem.getStackTrace());
        return unusable(call, "a " + problem.getClass().getName() + " occurred while reading it", trace);
    }

    /**
     * Returns the exception for an OK response that is unusable. The exception says that a call which changes something
     * may have taken effect, and that a query may be repeated after the plugin has been corrected.
     */
    CsiCallException unusable(RpcCall<?, ?> call, String problem, @Nullable Throwable cause) {
        return unusable(
                call, "", ": " + TextSanitizer.clean(problem, call.sensitive().get()), cause);
    }

    private CsiCallException unusable(RpcCall<?, ?> call, String own, String said, @Nullable Throwable cause) {
        boolean changes = call.rpc().changesState();
        CallOutcome outcome = changes ? CallOutcome.OUTCOME_UNKNOWN : CallOutcome.RETRY_AFTER_CAUSE;
        String next = changes
                ? NextStep.after(call.rpc(), StatusCode.INTERNAL, outcome) + " Report this to the plugin's vendor."
                : "Nothing was changed by it. Report this to the plugin's vendor; ask again once the plugin is mended.";
        Reason reason = new Reason(
                StatusCode.INTERNAL,
                "the plugin answered OK, but its answer cannot be used" + own,
                said,
                outcome,
                next);
        return of(call, reason, cause);
    }
}
