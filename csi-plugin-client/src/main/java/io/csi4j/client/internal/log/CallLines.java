package io.csi4j.client.internal.log;

import com.google.protobuf.Message;
import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.text.SensitiveFields;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.client.internal.text.TextSanitizer;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.internal.text.Text;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Writes the log lines of one call: its request, its messages, and its end. Used by one thread at a time. */
final class CallLines {
    private final RequestLines log;
    private final RpcCall<?, ?> call;
    private final String plugin;
    private final long id;

    CallLines(RequestLines log, RpcCall<?, ?> call, String plugin) {
        this.log = log;
        this.call = call;
        this.plugin = plugin;
        this.id = log.nextCall();
    }

    void sent(int number, String within) {
        log.write(() -> head(number) + " is sent with a deadline of " + within + ": " + redactedRequest());
    }

    void answered(int number, Duration took, @Nullable Object answer) {
        log.write(() -> head(number) + " ended with OK after " + Durations.text(took) + redactedAnswer(answer));
    }

    /** Writes the line of one message of a stream. */
    void came(int number, long which, Object message) {
        log.write(() -> head(number) + " sent message " + which + redactedAnswer(message));
    }

    void failed(int number, Duration took, End end) {
        log.write(() -> head(number) + " ended with " + code(end.failure()) + (end.sent() ? "" : ", not sent,")
                + " after " + Durations.text(took)
                + ": " + text(end.failure())
                + (end.answer() == null ? "" : "; the answer was" + redactedAnswer(end.answer())));
    }

    /** Writes the line of the end of a stream. */
    void ended(int number, Duration took, StatusCode code, long messages) {
        log.write(() -> head(number) + " ended with " + code + " after " + Durations.text(took) + " and " + messages
                + (messages == 1 ? " message" : " messages"));
    }

    /**
     * Describes how an attempt failed.
     *
     * @param failure the exception
     * @param sent whether the plugin may have received the request
     * @param answer the unusable response; null: none
     */
    record End(Throwable failure, boolean sent, @Nullable Object answer) {}

    private String head(int number) {
        String subject = call.subject();
        return "call " + id + ", attempt " + number + ": " + call.rpc().csiName()
                + (subject == null ? "" : " for " + sensitiveParts().names(subject))
                + " at plugin " + Text.printable(plugin);
    }

    private static String code(Throwable failure) {
        return failure instanceof CsiCallException known
                ? known.code() + " (" + known.outcome() + ")"
                : StatusCode.UNKNOWN.toString();
    }

    /**
     * Returns the text of an exception. Only exceptions of csi4j are shown with their message; the messages of other exceptions may contain
     * secrets.
     */
    private static String text(Throwable failure) {
        String message = failure.getMessage();
        return failure instanceof CsiException && message != null
                ? message
                : "it failed with a " + failure.getClass().getName();
    }

    private String redactedRequest() {
        SensitiveParts sensitiveParts = sensitiveParts();
        // Removes only secrets from the texts of a request, because the host itself wrote these texts.
        return call.request() instanceof Message message
                ? new RedactedMessage(log.visibleKeys(), sensitiveParts.secrets(), sensitiveParts.secrets()).of(message)
                : "";
    }

    private String redactedAnswer(@Nullable Object answer) {
        if (!(answer instanceof Message message)) {
            return "";
        }
        SensitiveParts sensitiveParts = sensitiveParts();
        SensitiveFields.addTo(sensitiveParts.opaque(), message);
        return ": "
                + new RedactedMessage(log.visibleKeys(), sensitiveParts.secrets(), sensitiveParts.opaque()).of(message);
    }

    /**
     * Returns the sensitive values of the request. The values are collected anew for each line instead of being kept,
     * because keeping them needs much memory, and most calls have only two lines.
     */
    private SensitiveParts sensitiveParts() {
        if (!(call.request() instanceof Message message)) {
            return new SensitiveParts(SensitiveValues.none(), SensitiveValues.none());
        }
        return new SensitiveParts(
                SensitiveFields.secrets(message), call.sensitive().get());
    }

    private record SensitiveParts(SensitiveValues secrets, SensitiveValues opaque) {
        String names(String text) {
            return TextSanitizer.clean(text, secrets);
        }
    }
}
