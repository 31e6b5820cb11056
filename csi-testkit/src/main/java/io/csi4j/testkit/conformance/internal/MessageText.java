package io.csi4j.testkit.conformance.internal;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import io.csi4j.testkit.internal.call.SecretOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Formats messages for people. Hides the values of secrets, contexts and mount flags. */
final class MessageText {
    private static final int LONGEST = 400;
    private static final int MAX_ELEMENTS = 20;
    private static final String HIDDEN = "(hidden)";
    private static final Set<String> CONTEXTS = Set.of("volume_context", "publish_context", "mount_flags");

    private final Collection<String> secretValues;

    /**
     * Creates a formatter.
     *
     * @param secretValues texts to hide wherever the plugin repeats them
     */
    MessageText(Collection<String> secretValues) {
        this.secretValues = secretValues;
    }

    String of(Message message) {
        List<String> parts = new ArrayList<>();
        for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
            parts.add(field(entry.getKey(), entry.getValue()));
        }
        return parts.isEmpty() ? "(empty)" : String.join(", ", parts);
    }

    private String field(FieldDescriptor field, Object value) {
        boolean hidden = SecretOption.isSet(field) || CONTEXTS.contains(field.getName());
        String name = field.getName().equals("modifiable_parameters") ? "mutable_parameters" : field.getName();
        if (!field.isRepeated()) {
            return name + ": " + (hidden ? HIDDEN : single(field, value));
        }
        List<String> elements = new ArrayList<>();
        List<?> all = (List<?>) value;
        for (Object element : all.subList(0, Math.min(MAX_ELEMENTS, all.size()))) {
            if (field.isMapField()) {
                MapEntry<?, ?> entry = (MapEntry<?, ?>) element;
                elements.add(safe(String.valueOf(entry.getKey())) + "="
                        + (hidden ? HIDDEN : safe(String.valueOf(entry.getValue()))));
            } else {
                elements.add(hidden ? HIDDEN : single(field, element));
            }
        }
        if (all.size() > MAX_ELEMENTS) {
            elements.add("and " + (all.size() - MAX_ELEMENTS) + " more");
        }
        return name + ": [" + String.join(", ", elements) + "]";
    }

    private String single(FieldDescriptor field, Object value) {
        return switch (field.getJavaType()) {
            case MESSAGE -> "{" + of((Message) value) + "}";
            case STRING -> "'" + safe((String) value) + "'";
            default -> String.valueOf(value);
        };
    }

    /** Returns the text without secret values and control characters, cut to a maximum length. */
    String safe(String text) {
        String safe = whole(text);
        return safe.length() <= LONGEST ? safe : safe.substring(0, LONGEST) + "... (" + safe.length() + " characters)";
    }

    /** Returns the text without secret values and control characters, and not cut: its end says what is wrong. */
    String whole(String text) {
        String safe = text;
        for (String secret : secretValues) {
            if (!secret.isEmpty()) {
                safe = safe.replace(secret, HIDDEN);
            }
        }
        return safe.replaceAll("\\p{Cntrl}+", " ");
    }
}
