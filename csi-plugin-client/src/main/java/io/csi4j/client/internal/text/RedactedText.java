package io.csi4j.client.internal.text;

import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Removes the sensitive values of a request from the texts of its response, because a plugin may repeat them there. An
 * object serves one response, on one thread.
 */
public final class RedactedText implements UnaryOperator<String> {
    private final Supplier<SensitiveValues> sensitive;
    private @Nullable SensitiveValues values;

    public RedactedText(Supplier<SensitiveValues> sensitive) {
        this.sensitive = sensitive;
    }

    @Override
    public String apply(String text) {
        if (text.isEmpty()) {
            return text;
        }
        SensitiveValues known = values;
        if (known == null) {
            known = sensitive.get();
            values = known;
        }
        return known.scrub(text);
    }
}
