package io.csi4j.shell;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Values of an answer as texts for people. */
final class Cells {
    private static final Set<String> GOOD = Set.of("HEALTHY", "READY", "DONE", "AVAILABLE", "UP", "ALIVE", "CREATED");
    private static final Set<String> BAD =
            Set.of("UNHEALTHY", "FAILED", "LOST", "DOWN", "GONE", "ERROR", "ABNORMAL", "UNUSABLE", "CANCELLED", "DEAD");
    private static final String NONE = "-";

    private final Clock clock;
    private final boolean colors;

    Cells(Clock clock, boolean colors) {
        this.clock = clock;
        this.colors = colors;
    }

    /** Returns a text for a cell of a table: times beside the present, lists in one line. */
    String inTable(ApiField field, Optional<JsonElement> value) {
        return value.map(known -> text(field, known, false)).orElse(NONE);
    }

    /** Returns a text for a line of its own. */
    String inLine(ApiField field, JsonElement value) {
        return text(field, value, true);
    }

    private String text(ApiField field, JsonElement value, boolean whole) {
        if (value.isJsonNull()) {
            return NONE;
        } else if (value instanceof JsonArray array) {
            return joined(array.asList().stream().map(e -> inner(field, e)).toList(), ", ");
        } else if (value instanceof JsonObject object) {
            return joined(
                    object.entrySet().stream()
                            .map(entry -> field.type() == ApiField.Type.MAP
                                    ? Text.safe(entry.getKey()) + "=" + inner(field, entry.getValue())
                                    : inner(field, entry.getValue()))
                            .filter(text -> !text.equals(NONE))
                            .toList(),
                    field.type() == ApiField.Type.MAP ? ", " : " ");
        }
        String text = Text.safe(value.getAsString());
        return switch (field.type()) {
            case BYTES ->
                number(text).map(n -> n.signum() == 0 ? NONE : Units.bytes(n)).orElse(text);
            case SECONDS -> number(text).map(Units::seconds).orElse(text);
            case TIME -> time(text, whole);
            case FLAG -> text.equals("true") ? "yes" : text.equals("false") ? "no" : text;
            default -> text.isEmpty() ? NONE : text;
        };
    }

    private static String joined(List<String> texts, String separator) {
        return texts.isEmpty() ? NONE : String.join(separator, texts);
    }

    private String inner(ApiField field, JsonElement value) {
        ApiField inner = new ApiField(
                field.name(),
                ApiField.Type.TEXT,
                "",
                false,
                Optional.empty(),
                List.of(),
                field.type() == ApiField.Type.OBJECTS || field.type() == ApiField.Type.OBJECT
                        ? field.shape()
                        : List::of);
        return text(inner, value, false);
    }

    private static Optional<BigDecimal> number(String text) {
        // A number such as 1e999999999 would need gigabytes when it is written out.
        return text.matches("-?\\d{1,30}(\\.\\d{1,30})?") ? Optional.of(new BigDecimal(text)) : Optional.empty();
    }

    private String time(String text, boolean whole) {
        try {
            String relative = Units.relative(Instant.parse(text), clock.instant());
            return whole ? text + " (" + relative + ")" : relative;
        } catch (DateTimeException e) {
            return text; // Not a time, so it is shown as it is.
        }
    }

    /** Returns a text with the color of its value, if there are colors. */
    String painted(ApiField field, String text) {
        if (!colors || field.type() != ApiField.Type.CHOICE) {
            return text;
        }
        String word = text.strip();
        return GOOD.contains(word)
                ? "\u001b[32m" + text + "\u001b[0m"
                : BAD.contains(word) ? "\u001b[31m" + text + "\u001b[0m" : text;
    }

    String bold(String text) {
        return colors ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    /** Returns the fields that describe an object, with those that the description does not know, as a newer server has them. */
    static List<ApiField> fields(List<ApiField> known, JsonObject object) {
        List<ApiField> fields = new ArrayList<>(known);
        object.entrySet().forEach(entry -> {
            if (known.stream().noneMatch(field -> field.name().equals(entry.getKey()))) {
                fields.add(unknown(entry.getKey(), entry.getValue()));
            }
        });
        return fields;
    }

    private static ApiField unknown(String name, JsonElement value) {
        boolean objects = value instanceof JsonArray array
                && !array.isEmpty()
                && array.get(0).isJsonObject();
        Supplier<List<ApiField>> shape = List::of;
        return new ApiField(
                name,
                objects
                        ? ApiField.Type.OBJECTS
                        : value.isJsonObject()
                                ? ApiField.Type.OBJECT
                                : value instanceof JsonPrimitive primitive && primitive.isBoolean()
                                        ? ApiField.Type.FLAG
                                        : ApiField.Type.TEXT,
                "",
                false,
                Optional.empty(),
                List.of(),
                shape);
    }
}
