package io.csi4j.admin.internal.api;

import java.util.Arrays;
import java.util.List;

/**
 * A parameter of an endpoint: a part of the path, a parameter of the query, or a field of the body.
 *
 * @param name the name in requests, in camelCase
 * @param in the place in the request
 * @param type the type of the value
 * @param description a sentence
 * @param required whether a request without it is refused
 * @param choices the words of a {@link Type#CHOICE}
 * @param fields the fields of each object of a {@link Type#OBJECT} or {@link Type#OBJECTS}
 */
public record Parameter(
        String name,
        In in,
        Type type,
        String description,
        boolean required,
        List<String> choices,
        List<Parameter> fields) {
    public Parameter {
        choices = List.copyOf(choices);
        fields = List.copyOf(fields);
    }

    /** The place of a parameter in a request. */
    public enum In {
        PATH,
        QUERY,
        BODY
    }

    /** The type of a parameter. */
    public enum Type {
        TEXT,
        CHOICE,
        /** A whole number. */
        NUMBER,
        /** A number of bytes. The shell also accepts 10GiB. */
        BYTES,
        FLAG,
        /** A number of seconds, with a fraction. The shell also accepts 90s, 5m and 2h. */
        SECONDS,
        TEXTS,
        /** Texts by their names. */
        MAP,
        OBJECT,
        OBJECTS
    }

    /** Returns a part of the path. */
    public static Parameter path(String name, String description) {
        return new Parameter(name, In.PATH, Type.TEXT, description, true, List.of(), List.of());
    }

    /** Returns a part of the path that is one of the constants of an enum. */
    public static <E extends Enum<E>> Parameter path(String name, Class<E> type, String description) {
        return new Parameter(name, In.PATH, Type.CHOICE, description, true, words(type), List.of());
    }

    /** Returns an optional parameter of the query. */
    public static Parameter query(String name, Type type, String description) {
        return new Parameter(name, In.QUERY, type, description, false, List.of(), List.of());
    }

    /** Returns an optional parameter of the query that is one of the constants of an enum. */
    public static <E extends Enum<E>> Parameter query(String name, Class<E> type, String description) {
        return new Parameter(name, In.QUERY, Type.CHOICE, description, false, words(type), List.of());
    }

    /** Returns an optional field of the body. */
    public static Parameter body(String name, Type type, String description) {
        return new Parameter(name, In.BODY, type, description, false, List.of(), List.of());
    }

    /** Returns an optional field of the body that is one of the constants of an enum. */
    public static <E extends Enum<E>> Parameter body(String name, Class<E> type, String description) {
        return new Parameter(name, In.BODY, Type.CHOICE, description, false, words(type), List.of());
    }

    /** Returns an optional field of the body that is an object, or a list of objects, with fields. */
    public static Parameter body(String name, Type type, String description, List<Parameter> fields) {
        return new Parameter(name, In.BODY, type, description, false, List.of(), fields);
    }

    /** Returns this parameter, which a request must have. */
    public Parameter needed() {
        return new Parameter(name, in, type, description, true, choices, fields);
    }

    private static <E extends Enum<E>> List<String> words(Class<E> type) {
        return Arrays.stream(type.getEnumConstants()).map(Enum::name).toList();
    }
}
