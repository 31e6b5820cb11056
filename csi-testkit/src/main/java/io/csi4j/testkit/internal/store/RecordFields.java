package io.csi4j.testkit.internal.store;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** An ordered set of named texts: the form of records and intents on disk. */
public final class RecordFields {
    private final Map<String, String> values = new LinkedHashMap<>();

    public RecordFields() {}

    /** Reports a missing or malformed field. */
    public static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unreadable(String message) {
            super(message);
        }
    }

    /**
     * Sets a text.
     *
     * @param name the field's name, without equals signs and line breaks
     */
    public RecordFields put(String name, String value) {
        values.put(name, value);
        return this;
    }

    public RecordFields put(String name, long value) {
        return put(name, Long.toString(value));
    }

    public RecordFields put(String name, boolean value) {
        return put(name, Boolean.toString(value));
    }

    /** Sets a protobuf message, which must not contain secrets. */
    public RecordFields put(String name, MessageLite value) {
        return put(name, Base64.getEncoder().encodeToString(value.toByteArray()));
    }

    /** Sets a map; each entry has its own field. */
    public RecordFields put(String name, Map<String, String> value) {
        int number = 0;
        for (Map.Entry<String, String> entry : new TreeMap<>(value).entrySet()) {
            put(name + "." + number + ".key", entry.getKey());
            put(name + "." + number + ".value", entry.getValue());
            number++;
        }
        return put(name + ".count", number);
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    /**
     * Returns a text.
     *
     * @throws Unreadable if it is missing
     */
    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new Unreadable("field " + name + " is missing");
        }
        return value;
    }

    /**
     * Returns a number.
     *
     * @throws Unreadable if it is missing or no number
     */
    public long number(String name) {
        try {
            return Long.parseLong(text(name));
        } catch (NumberFormatException e) {
            throw new Unreadable("field " + name + " is no number");
        }
    }

    /**
     * Returns a boolean.
     *
     * @throws Unreadable if it is missing
     */
    public boolean flag(String name) {
        return Boolean.parseBoolean(text(name));
    }

    /**
     * Returns a protobuf message.
     *
     * @param parser the parser of the message type
     * @param <M> the message type
     * @throws Unreadable if it is missing or malformed
     */
    public <M> M message(String name, Parser<M> parser) {
        try {
            return parser.parseFrom(Base64.getDecoder().decode(text(name)));
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            throw new Unreadable("field " + name + " is no readable message");
        }
    }

    /**
     * Returns a map.
     *
     * @throws Unreadable if it is missing or malformed
     */
    public Map<String, String> map(String name) {
        Map<String, String> result = new TreeMap<>();
        long count = number(name + ".count");
        for (long number = 0; number < count; number++) {
            result.put(text(name + "." + number + ".key"), text(name + "." + number + ".value"));
        }
        return result;
    }

    Map<String, String> asMap() {
        return values;
    }
}
