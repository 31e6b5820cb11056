package io.csi4j.client.internal.limit;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.csi4j.core.internal.check.InputLimit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The limits of all fields of some types of messages. A text and a map of texts have the limit of the specification
 * (R16) unless another one is declared; a list and a field of bytes need a declared one. Immutable.
 */
public final class FieldLimits {
    private static final String ENTRY = "csi4j.values.v1.Entry";

    private final Map<String, List<FieldLimit>> byMessage = new HashMap<>();

    /**
     * A field beyond its limit.
     *
     * @param field the path of the field, spelled like its accessor methods
     * @param problem its size and the limit
     */
    public record Excess(String field, String problem) {}

    /**
     * The limits of one field.
     *
     * @param count the limit for the elements of a list; null for other fields
     * @param value the limit for each value, or for all flags together; null if a value has none
     * @param nested whether the values are messages with limited fields
     */
    private record FieldLimit(
            FieldDescriptor field,
            @Nullable InputLimit count,
            @Nullable InputLimit value,
            boolean nested) {}

    private FieldLimits(Builder builder) {
        Map<String, InputLimit> counts = new HashMap<>(builder.counts);
        Map<String, InputLimit> values = new HashMap<>(builder.values);
        builder.messages.forEach(message -> add(message, counts, values));
        if (!counts.isEmpty() || !values.isEmpty()) {
            throw new IllegalArgumentException(
                    "limits: no message has the fields " + counts.keySet() + " and " + values.keySet());
        }
    }

    /**
     * Returns a builder.
     *
     * @param messages the types of messages that arrive
     */
    public static Builder of(List<Descriptor> messages) {
        return new Builder(messages);
    }

    private boolean add(Descriptor message, Map<String, InputLimit> counts, Map<String, InputLimit> values) {
        List<FieldLimit> known = byMessage.get(message.getFullName());
        if (known != null) {
            return !known.isEmpty();
        }
        List<FieldLimit> limits = new ArrayList<>();
        byMessage.put(message.getFullName(), limits);
        for (FieldDescriptor field : message.getFields()) {
            FieldLimit limit = limit(field, counts, values);
            if (limit.count() != null || limit.value() != null || limit.nested()) {
                limits.add(limit);
            }
        }
        return !limits.isEmpty();
    }

    /** Returns whether a field is a map, or a list of entries with a key and a value. */
    private static boolean isMap(FieldDescriptor field) {
        return field.isMapField()
                || (field.isRepeated()
                        && field.getJavaType() == JavaType.MESSAGE
                        && field.getMessageType().getFullName().equals(ENTRY));
    }

    private FieldLimit limit(FieldDescriptor field, Map<String, InputLimit> counts, Map<String, InputLimit> values) {
        InputLimit count = counts.remove(field.getFullName());
        InputLimit value = values.remove(field.getFullName());
        if (isMap(field)) {
            return new FieldLimit(field, null, value == null ? InputLimit.MAP : value, false);
        }
        if (field.isRepeated() && count == null) {
            throw new IllegalArgumentException(field.getFullName() + " is a list without a limit; declare one");
        }
        if (field.getJavaType() == JavaType.STRING && value == null) {
            value = InputLimit.STRING;
        }
        if (field.getJavaType() == JavaType.BYTE_STRING && value == null) {
            throw new IllegalArgumentException(field.getFullName() + " has bytes without a limit; declare one");
        }
        boolean nested = field.getJavaType() == JavaType.MESSAGE && add(field.getMessageType(), counts, values);
        return new FieldLimit(field, count, value, nested);
    }

    /** Returns the first field of a message that is beyond its limit. */
    public Optional<Excess> excess(Message message) {
        return Optional.ofNullable(find(message));
    }

    private @Nullable Excess find(Message message) {
        List<FieldLimit> limits = byMessage.get(message.getDescriptorForType().getFullName());
        if (limits == null) {
            throw new IllegalArgumentException(
                    message.getDescriptorForType().getFullName() + " is no message that arrives");
        }
        for (FieldLimit limit : limits) {
            Excess excess = limit.field().isRepeated() ? inList(message, limit) : inField(message, limit);
            if (excess != null) {
                return excess;
            }
        }
        return null;
    }

    private @Nullable Excess inField(Message message, FieldLimit limit) {
        FieldDescriptor field = limit.field();
        if (field.hasPresence() && !message.hasField(field)) {
            return null;
        }
        return inValue(message.getField(field), limit, field.getJsonName());
    }

    private @Nullable Excess inValue(Object value, FieldLimit limit, String name) {
        if (limit.nested()) {
            Excess excess = find((Message) value);
            return excess == null ? null : new Excess(name + "." + excess.field(), excess.problem());
        }
        InputLimit most = limit.value();
        if (most == null || most == InputLimit.MOUNT_FLAGS) {
            return null;
        }
        if (value instanceof String text) {
            return most.isExceededBy(text) ? new Excess(name, most.problem(InputLimit.bytes(text))) : null;
        }
        return value instanceof ByteString bytes && most.isExceededBy(bytes.size())
                ? new Excess(name, most.problem(bytes.size()))
                : null;
    }

    private @Nullable Excess inList(Message message, FieldLimit limit) {
        FieldDescriptor field = limit.field();
        int elements = message.getRepeatedFieldCount(field);
        if (elements == 0) {
            return null;
        }
        String name = field.getJsonName();
        if (isMap(field)) {
            return inMap(message, limit, elements);
        }
        if (limit.count() != null && limit.count().isExceededBy(elements)) {
            return new Excess(name, limit.count().problem(elements));
        }
        if (!limit.nested() && limit.value() == null) {
            return null;
        }
        long bytes = 0;
        for (int i = 0; i < elements; i++) {
            Object value = message.getRepeatedField(field, i);
            Excess excess = inValue(value, limit, name + "[" + i + "]");
            if (excess != null) {
                return excess;
            }
            bytes += value instanceof String text ? InputLimit.bytes(text) : 0;
        }
        return limit.value() == InputLimit.MOUNT_FLAGS && InputLimit.MOUNT_FLAGS.isExceededBy(bytes)
                ? new Excess(name, InputLimit.MOUNT_FLAGS.problem(bytes))
                : null;
    }

    /** Checks the size of a map, and the parts of its keys and its values if it is a topology. */
    private static @Nullable Excess inMap(Message message, FieldLimit limit, int elements) {
        FieldDescriptor field = limit.field();
        String name = field.getJsonName();
        boolean topology = limit.value() == InputLimit.TOPOLOGY_PART;
        InputLimit total = topology || limit.value() == null ? InputLimit.MAP : limit.value();
        FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
        FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
        long bytes = 0;
        Excess part = null;
        for (int i = 0; i < elements; i++) {
            Message entry = (Message) message.getRepeatedField(field, i);
            String text = (String) entry.getField(key);
            String content = (String) entry.getField(value);
            bytes += (long) InputLimit.bytes(text) + InputLimit.bytes(content);
            if (topology && part == null) {
                int longest = Math.max(longestPart(text), InputLimit.bytes(content));
                part = InputLimit.TOPOLOGY_PART.isExceededBy(longest)
                        ? new Excess(name, "has a key or value that " + InputLimit.TOPOLOGY_PART.problem(longest))
                        : null;
            }
        }
        return total.isExceededBy(bytes) ? new Excess(name, total.problem(bytes)) : part;
    }

    /** Returns the bytes of the prefix or of the name of a key, whichever is longer. */
    private static int longestPart(String key) {
        int slash = key.indexOf('/');
        return Math.max(
                slash < 0 ? 0 : InputLimit.bytes(key.substring(0, slash)), InputLimit.bytes(key.substring(slash + 1)));
    }

    /** Declares limits of fields. Not thread-safe. */
    public static final class Builder {
        private final List<Descriptor> messages;
        private final Map<String, InputLimit> counts = new HashMap<>();
        private final Map<String, InputLimit> values = new HashMap<>();

        private Builder(List<Descriptor> messages) {
            this.messages = List.copyOf(messages);
        }

        /** Limits the elements of lists. */
        public Builder count(InputLimit limit, String... fields) {
            for (String field : fields) {
                counts.put(field, limit);
            }
            return this;
        }

        /** Limits each value of fields. */
        public Builder value(InputLimit limit, String... fields) {
            for (String field : fields) {
                values.put(field, limit);
            }
            return this;
        }

        public FieldLimits build() {
            return new FieldLimits(this);
        }
    }
}
