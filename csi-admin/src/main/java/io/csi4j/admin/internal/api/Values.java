package io.csi4j.admin.internal.api;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * The values of a request's parameters, checked against their declarations: a value has the type that its parameter
 * declares, and a required one is there.
 */
public final class Values {
    private final Map<String, Object> values;
    private final String prefix;

    /**
     * @param values the values by their names: String, Long, Boolean, Duration, lists, maps and {@code Values}
     * @param prefix the beginning of the fields' names in error messages
     */
    Values(Map<String, Object> values, String prefix) {
        this.values = Map.copyOf(values);
        this.prefix = prefix;
    }

    /** Returns the name of these values in error messages, for example {@code volumes[0]}; empty for those of the whole request. */
    String name() {
        return prefix.isEmpty() ? prefix : prefix.substring(0, prefix.length() - 1);
    }

    /** Returns the name of a value in error messages. */
    String field(String name) {
        return prefix + name;
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** Returns a text that the request must have. */
    public String text(String name) {
        return (String) required(name);
    }

    /** Returns a text, or an empty one if the request does not have it. */
    public String textOrEmpty(String name) {
        return (String) values.getOrDefault(name, "");
    }

    /** Returns a required value that a text is parsed to. */
    public <V> V parsed(String name, Function<String, V> parse) {
        return parse(name, text(name), parse);
    }

    /** Returns the value that a text is parsed to; empty if the request does not have it. */
    public <V> Optional<V> maybe(String name, Function<String, V> parse) {
        return Optional.ofNullable((String) values.get(name)).map(text -> parse(name, text, parse));
    }

    /** Returns the values that texts are parsed to; none if the request does not have them. */
    public <V> List<V> parsedTexts(String name, Function<String, V> parse) {
        return texts(name).stream().map(text -> parse(name, text, parse)).toList();
    }

    private <V> V parse(String name, String text, Function<String, V> parse) {
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(
                    prefix + name, "cannot be read: " + e.getMessage(), "correct the value of " + prefix + name);
        }
    }

    /** Returns a required constant of an enum. */
    public <E extends Enum<E>> E choice(String name, Class<E> type) {
        return Enum.valueOf(type, text(name));
    }

    /** Returns a constant of an enum; empty if the request does not have it. */
    public <E extends Enum<E>> Optional<E> maybeChoice(String name, Class<E> type) {
        return Optional.ofNullable((String) values.get(name)).map(word -> Enum.valueOf(type, word));
    }

    public boolean flag(String name) {
        return (Boolean) values.getOrDefault(name, false);
    }

    /** Returns a boolean; empty if the request does not have it. */
    public Optional<Boolean> maybeFlag(String name) {
        return Optional.ofNullable((Boolean) values.get(name));
    }

    public OptionalLong number(String name) {
        Object value = values.get(name);
        return value == null ? OptionalLong.empty() : OptionalLong.of((Long) value);
    }

    /** Returns a number that an int can have; 0 if the request does not have it. */
    public int whole(String name) {
        long number = number(name).orElse(0);
        if (number != (int) number) {
            throw new BadRequestException(
                    prefix + name, "is " + number + ", which is too large or too small", "correct " + prefix + name);
        }
        return (int) number;
    }

    public Optional<Duration> duration(String name) {
        return Optional.ofNullable((Duration) values.get(name));
    }

    @SuppressWarnings("unchecked")
    public List<String> texts(String name) {
        return (List<String>) values.getOrDefault(name, List.of());
    }

    @SuppressWarnings("unchecked")
    public Map<String, String> map(String name) {
        return (Map<String, String>) values.getOrDefault(name, Map.of());
    }

    public Optional<Values> object(String name) {
        return Optional.ofNullable((Values) values.get(name));
    }

    @SuppressWarnings("unchecked")
    public List<Values> objects(String name) {
        return (List<Values>) values.getOrDefault(name, List.of());
    }

    private Object required(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw new BadRequestException(prefix + name, "is missing", "add " + prefix + name);
        }
        return value;
    }
}
