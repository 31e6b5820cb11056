package io.csi4j.admin.internal.json;

import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The JSON form of a type: its fields in their order. The same list writes the values, the schema of the description, and
 * the columns of tables.
 *
 * @param <T> the type
 */
public final class Shape<T> {
    private final String name;
    private final String description;
    private final List<Field<T>> fields;

    private Shape(String name, String description, List<Field<T>> fields) {
        this.name = name;
        this.description = description;
        this.fields = List.copyOf(fields);
    }

    /** The JSON type of a field. */
    public enum Kind {
        /** A text. */
        TEXT,
        /** One of a few words. */
        CHOICE,
        /** A whole number. */
        NUMBER,
        /** True or false. */
        FLAG,
        /** A time in UTC, as ISO 8601 has it. */
        TIME,
        /** A duration in seconds, with a fraction. */
        SECONDS,
        /** Texts. */
        TEXTS,
        /** Texts by their names. */
        MAP,
        /** An object. */
        OBJECT,
        /** Objects. */
        OBJECTS,
        /** JSON of any form, which is written as it is. */
        JSON
    }

    /**
     * A field.
     *
     * @param column the head of the field's column in tables; empty if tables do not show the field
     * @param optional whether the field is left out if it has no value
     * @param element the shape of an object or of the objects of a list; null for other kinds
     * @param choices the words of a choice
     * @param value returns the value; null or an empty Optional if there is none
     */
    public record Field<T>(
            String name,
            Kind kind,
            String description,
            Optional<String> column,
            boolean optional,
            @Nullable Shape<?> element,
            List<String> choices,
            Function<T, ? extends @Nullable Object> value) {
        private Field<T> without(Set<String> names) {
            Set<String> inner = names.stream()
                    .filter(other -> other.startsWith(name + "."))
                    .map(other -> other.substring(name.length() + 1))
                    .collect(Collectors.toSet());
            return element == null || inner.isEmpty()
                    ? this
                    : new Field<>(name, kind, description, column, optional, element.without(inner), choices, value);
        }
    }

    /**
     * Begins a shape.
     *
     * @param name the name of the type in the description, in PascalCase
     * @param description a sentence
     */
    public static <T> Builder<T> of(String name, String description) {
        return new Builder<>(name, description);
    }

    public String name() {
        return name;
    }

    public String description() {
        return description;
    }

    public List<Field<T>> fields() {
        return fields;
    }

    /** Returns this shape without some of its optional fields; {@code a.b} is field b of the object in field a. */
    public Shape<T> without(Set<String> names) {
        return new Shape<>(
                name,
                description,
                fields.stream()
                        .filter(field -> !names.contains(field.name()))
                        .map(field -> field.without(names))
                        .toList());
    }

    /** Returns a value as JSON. */
    public String text(T value) {
        StringWriter text = new StringWriter();
        try {
            write(writer(text), value);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // A StringWriter does not fail.
        }
        return text.toString();
    }

    /** Returns a writer of JSON without white space. */
    public static JsonWriter writer(StringWriter to) {
        JsonWriter writer = new JsonWriter(to);
        writer.setHtmlSafe(false);
        return writer;
    }

    /** Writes a value as an object. */
    public void write(JsonWriter out, T value) throws IOException {
        out.beginObject();
        for (Field<T> field : fields) {
            Object found = unwrapped(field.value().apply(value));
            if (found != null) {
                out.name(field.name());
                write(out, field, found);
            } else if (!field.optional()) {
                throw new IllegalStateException(name + "." + field.name() + " has no value, and is not optional");
            }
        }
        out.endObject();
    }

    private static @Nullable Object unwrapped(@Nullable Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.orElse(null);
        } else if (value instanceof OptionalLong number) {
            return number.isPresent() ? number.getAsLong() : null;
        } else if (value instanceof OptionalInt number) {
            return number.isPresent() ? number.getAsInt() : null;
        } else if (value instanceof OptionalDouble number) {
            return number.isPresent() ? number.getAsDouble() : null;
        }
        return value;
    }

    private static void write(JsonWriter out, Field<?> field, Object value) throws IOException {
        switch (field.kind()) {
            case TEXT, CHOICE, TIME -> out.value(value.toString());
            case NUMBER -> out.value((Number) value);
            case FLAG -> out.value((Boolean) value);
            case SECONDS -> out.value(((Duration) value).toMillis() / 1000.0);
            case TEXTS -> {
                out.beginArray();
                for (Object element : (Iterable<?>) value) {
                    out.value(element.toString());
                }
                out.endArray();
            }
            case MAP -> {
                out.beginObject();
                for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                    out.name(entry.getKey().toString()).value(entry.getValue().toString());
                }
                out.endObject();
            }
            case OBJECT -> element(field).write(out, value);
            case JSON -> out.jsonValue(value.toString());
            case OBJECTS -> {
                out.beginArray();
                for (Object element : (Iterable<?>) value) {
                    element(field).write(out, element);
                }
                out.endArray();
            }
        }
    }

    /** The element has the type of the field's values, because {@link Builder} takes both together. */
    @SuppressWarnings("unchecked")
    private static Shape<Object> element(Field<?> field) {
        if (field.element() == null) {
            throw new IllegalStateException(field.name() + " has no shape");
        }
        return (Shape<Object>) field.element();
    }

    /** Builds shapes. Not thread-safe. */
    public static final class Builder<T> {
        private final String name;
        private final String description;
        private final List<Field<T>> fields = new ArrayList<>();

        private Builder(String name, String description) {
            this.name = name;
            this.description = description;
        }

        private Builder<T> add(
                String field,
                Kind kind,
                String meaning,
                @Nullable Shape<?> element,
                List<String> choices,
                Function<T, ? extends @Nullable Object> value) {
            fields.add(new Field<>(field, kind, meaning, Optional.empty(), false, element, choices, value));
            return this;
        }

        /** Adds a text: the value's {@code toString()}. */
        public Builder<T> text(String field, String meaning, Function<T, ? extends @Nullable Object> value) {
            return add(field, Kind.TEXT, meaning, null, List.of(), value);
        }

        /** Adds a text that is one of the constants of an enum. */
        public <E extends Enum<E>> Builder<T> choice(
                String field, String meaning, Class<E> type, Function<T, ? extends @Nullable Object> value) {
            List<String> words =
                    Arrays.stream(type.getEnumConstants()).map(Enum::name).toList();
            return add(field, Kind.CHOICE, meaning, null, words, value);
        }

        /** Adds a whole number. */
        public Builder<T> number(String field, String meaning, Function<T, ? extends @Nullable Object> value) {
            return add(field, Kind.NUMBER, meaning, null, List.of(), value);
        }

        /** Adds a boolean. */
        public Builder<T> flag(String field, String meaning, Function<T, ? extends @Nullable Object> value) {
            return add(field, Kind.FLAG, meaning, null, List.of(), value);
        }

        /** Adds a time: an {@link Instant}. */
        public Builder<T> time(String field, String meaning, Function<T, ? extends @Nullable Object> value) {
            return add(field, Kind.TIME, meaning, null, List.of(), value);
        }

        /** Adds a {@link Duration}, in seconds. */
        public Builder<T> seconds(String field, String meaning, Function<T, ? extends @Nullable Object> value) {
            return add(field, Kind.SECONDS, meaning, null, List.of(), value);
        }

        /** Adds texts: the elements' {@code toString()}. */
        public Builder<T> texts(String field, String meaning, Function<T, ? extends Iterable<?>> value) {
            return add(field, Kind.TEXTS, meaning, null, List.of(), value);
        }

        /** Adds texts that are left out if they are not known. */
        public Builder<T> maybeTexts(
                String field, String meaning, Function<T, ? extends Optional<? extends Iterable<?>>> value) {
            return add(field, Kind.TEXTS, meaning, null, List.of(), value).optional();
        }

        /** Adds texts by their names. */
        public Builder<T> map(String field, String meaning, Function<T, ? extends Map<?, ?>> value) {
            return add(field, Kind.MAP, meaning, null, List.of(), value);
        }

        /** Adds JSON of any form: the value's {@code toString()}. */
        public Builder<T> json(String field, String meaning, Function<T, ? extends @Nullable Object> value) {
            return add(field, Kind.JSON, meaning, null, List.of(), value);
        }

        /** Adds an object. */
        public <U> Builder<T> object(String field, String meaning, Shape<U> shape, Function<T, U> value) {
            return add(field, Kind.OBJECT, meaning, shape, List.of(), value);
        }

        /** Adds an object that is left out if there is none. */
        public <U> Builder<T> maybe(String field, String meaning, Shape<U> shape, Function<T, Optional<U>> value) {
            return add(field, Kind.OBJECT, meaning, shape, List.of(), value).optional();
        }

        /** Adds objects. */
        public <U> Builder<T> objects(
                String field, String meaning, Shape<U> shape, Function<T, ? extends Iterable<? extends U>> value) {
            return add(field, Kind.OBJECTS, meaning, shape, List.of(), value);
        }

        /** Leaves the last field out if it has no value. */
        public Builder<T> optional() {
            Field<T> last = fields.remove(fields.size() - 1);
            fields.add(new Field<>(
                    last.name(),
                    last.kind(),
                    last.description(),
                    last.column(),
                    true,
                    last.element(),
                    last.choices(),
                    last.value()));
            return this;
        }

        /** Shows the last field in tables, under its name in upper case. */
        public Builder<T> column() {
            Field<T> last = fields.get(fields.size() - 1);
            return column(last.name().replaceAll("([a-z])([A-Z])", "$1 $2").toUpperCase(Locale.ROOT));
        }

        /** Shows the last field in tables. */
        public Builder<T> column(String head) {
            Field<T> last = fields.remove(fields.size() - 1);
            fields.add(new Field<>(
                    last.name(),
                    last.kind(),
                    last.description(),
                    Optional.of(head),
                    last.optional(),
                    last.element(),
                    last.choices(),
                    last.value()));
            return this;
        }

        public Shape<T> build() {
            return new Shape<>(name, description, fields);
        }
    }
}
