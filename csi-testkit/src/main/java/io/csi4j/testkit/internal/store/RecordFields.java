package io.csi4j.testkit.internal.store;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** An ordered set of named texts: what a record or an intent looks like on disk. */
public final class RecordFields {
    private final Map<String, String> values = new LinkedHashMap<>();

    /** Begins with no fields. */
    public RecordFields() {}

    /** Thrown when a field is missing or malformed. */
    public static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unreadable(String message) {
            super(message);
        }
    }

    /**
     * Sets a text.
     *
     * @param name of the field: no equals sign, no line break
     * @param value any text
     */
    public RecordFields put(String name, String value) {
        values.put(name, value);
        return this;
    }

    /**
     * Sets a number.
     *
     * @param name of the field
     * @param value any number
     */
    public RecordFields put(String name, long value) {
        return put(name, Long.toString(value));
    }

    /**
     * Sets a yes or no.
     *
     * @param name of the field
     * @param value yes or no
     */
    public RecordFields put(String name, boolean value) {
        return put(name, Boolean.toString(value));
    }

    /**
     * Sets a message of the wire.
     *
     * @param name of the field
     * @param value must hold no secrets
     */
    public RecordFields put(String name, MessageLite value) {
        return put(name, Base64.getEncoder().encodeToString(value.toByteArray()));
    }

    /**
     * Sets a map, each entry under its own name.
     *
     * @param name of the field
     * @param value any map
     */
    public RecordFields put(String name, Map<String, String> value) {
        int number = 0;
        for (Map.Entry<String, String> entry : new TreeMap<>(value).entrySet()) {
            put(name + "." + number + ".key", entry.getKey());
            put(name + "." + number + ".value", entry.getValue());
            number++;
        }
        return put(name + ".count", number);
    }

    /**
     * Whether a field is there.
     *
     * @param name of the field
     * @return whether it is there
     */
    public boolean has(String name) {
        return values.containsKey(name);
    }

    /**
     * A text.
     *
     * @param name of the field
     * @return its value
     * @throws Unreadable when it is missing
     */
    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new Unreadable("field " + name + " is missing");
        }
        return value;
    }

    /**
     * A number.
     *
     * @param name of the field
     * @return its value
     * @throws Unreadable when it is missing or no number
     */
    public long number(String name) {
        try {
            return Long.parseLong(text(name));
        } catch (NumberFormatException e) {
            throw new Unreadable("field " + name + " is no number");
        }
    }

    /**
     * A yes or no.
     *
     * @param name of the field
     * @return its value
     * @throws Unreadable when it is missing
     */
    public boolean flag(String name) {
        return Boolean.parseBoolean(text(name));
    }

    /**
     * A message of the wire.
     *
     * @param name of the field
     * @param parser of the message's type
     * @param <M> the message's type
     * @return its value
     * @throws Unreadable when it is missing or malformed
     */
    public <M> M message(String name, Parser<M> parser) {
        try {
            return parser.parseFrom(Base64.getDecoder().decode(text(name)));
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            throw new Unreadable("field " + name + " is no readable message");
        }
    }

    /**
     * A map.
     *
     * @param name of the field
     * @return its value
     * @throws Unreadable when it is missing or malformed
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
