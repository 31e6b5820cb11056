package io.csi4j.client.internal.text;

import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Takes what is sensitive of a request out of the texts for people in its answer: a plugin may repeat
 * there what it was told. For one answer, and one thread.
 */
public final class ShownText implements UnaryOperator<String> {
    private final Supplier<SensitiveValues> sensitive;
    private @Nullable SensitiveValues values;

    public ShownText(Supplier<SensitiveValues> sensitive) {
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
