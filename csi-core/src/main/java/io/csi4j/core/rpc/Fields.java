package io.csi4j.core.rpc;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Collects the fields of a request with their values, for {@code equals} and {@code toString}. It leaves out fields
 * that are not set.
 */
final class Fields {
    private final Map<String, Object> values = new LinkedHashMap<>();

    void add(String name, @Nullable Object value) {
        if (value != null) {
            values.put(name, value);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Fields that && that.values.equals(values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("[");
        values.forEach((name, value) -> text.append(text.length() > 1 ? ", " : "")
                .append(name)
                .append('=')
                .append(value));
        return text.append(']').toString();
    }
}
