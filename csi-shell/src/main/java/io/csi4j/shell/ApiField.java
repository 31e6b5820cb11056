package io.csi4j.shell;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A field of a request or of an answer.
 *
 * @param name the name in JSON
 * @param head the head of its column in tables; empty if tables do not show it
 * @param choices the words of a {@link Type#CHOICE}
 * @param shape the fields of an {@link Type#OBJECT}, or of each object of {@link Type#OBJECTS}; empty for other types
 */
record ApiField(
        String name,
        Type type,
        String description,
        boolean required,
        Optional<String> head,
        List<String> choices,
        Supplier<List<ApiField>> shape) {
    /** The type of a field. */
    enum Type {
        TEXT,
        CHOICE,
        NUMBER,
        BYTES,
        SECONDS,
        FLAG,
        TIME,
        TEXTS,
        MAP,
        OBJECT,
        OBJECTS
    }

    boolean isNumber() {
        return type == Type.NUMBER || type == Type.BYTES || type == Type.SECONDS;
    }

    List<ApiField> fields() {
        return shape.get();
    }

    /** Returns whether a person must not give the value on the command line, which others of the machine can read. */
    boolean isSecret() {
        return type == Type.MAP && name.toLowerCase(Locale.ROOT).endsWith("secrets");
    }
}
