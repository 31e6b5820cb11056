package io.csi4j.shell;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Texts of the command line as values of a request. */
final class Values {
    private Values() {}

    /**
     * Returns a value.
     *
     * @param name the option, for messages
     */
    static JsonElement value(String name, ApiField field, List<String> texts) {
        String text = texts.get(0);
        try {
            return switch (field.type()) {
                case TEXT, TIME -> new JsonPrimitive(text);
                case CHOICE -> new JsonPrimitive(choice(field, text));
                case NUMBER -> new JsonPrimitive(number(text));
                case BYTES -> new JsonPrimitive(Units.parseBytes(text));
                case SECONDS -> new JsonPrimitive(Units.parseSeconds(text));
                case FLAG -> new JsonPrimitive(flag(text));
                case TEXTS -> {
                    JsonArray array = new JsonArray();
                    texts.forEach(array::add);
                    yield array;
                }
                case MAP -> map(texts);
                case OBJECT -> object(field, text);
                case OBJECTS -> {
                    JsonArray array = new JsonArray();
                    texts.forEach(one -> array.add(object(field, one)));
                    yield array;
                }
            };
        } catch (UsageException e) {
            throw new UsageException(name + ": " + e.getMessage());
        }
    }

    private static BigDecimal number(String text) {
        if (!text.matches("-?\\d{1,19}")) {
            throw new UsageException("'" + text + "' is not a whole number");
        }
        return new BigDecimal(text);
    }

    private static boolean flag(String text) {
        if (!text.equals("true") && !text.equals("false")) {
            throw new UsageException("'" + text + "' is neither true nor false");
        }
        return text.equals("true");
    }

    /** Also takes {@code single-node-writer} for {@code SINGLE_NODE_WRITER}. */
    private static String choice(ApiField field, String text) {
        String word = text.toUpperCase(Locale.ROOT).replace('-', '_');
        return field.choices().stream()
                .filter(choice ->
                        choice.equals(text) || choice.toUpperCase(Locale.ROOT).equals(word))
                .findFirst()
                .orElseThrow(
                        () -> new UsageException("'" + text + "' is none of " + String.join(", ", field.choices())));
    }

    private static JsonObject map(List<String> pairs) {
        JsonObject map = new JsonObject();
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            if (equals <= 0) {
                throw new UsageException("'" + pair + "' is not NAME=VALUE");
            }
            map.addProperty(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return map;
    }

    private static JsonObject object(ApiField field, String text) {
        if (text.stripLeading().startsWith("{")) {
            return json(text);
        }
        Map<String, List<String>> given = Arrays.stream(text.split(",", -1))
                .map(pair -> {
                    int equals = pair.indexOf('=');
                    if (equals <= 0) {
                        throw new UsageException("'" + pair + "' is not FIELD=VALUE");
                    }
                    return Map.entry(pair.substring(0, equals), pair.substring(equals + 1));
                })
                .collect(Collectors.groupingBy(
                        Map.Entry::getKey, TreeMap::new, Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
        JsonObject object = new JsonObject();
        given.forEach((name, values) -> {
            ApiField child = field.fields().stream()
                    .filter(known -> known.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new UsageException("'" + name + "' is none of its fields: "
                            + String.join(
                                    ", ",
                                    field.fields().stream().map(ApiField::name).toList())));
            object.add(name, value(name, child, values));
        });
        return object;
    }

    /** Returns the object that a text in JSON has. The message of a failure does not repeat the text, which may be secret. */
    static JsonObject json(String text) {
        try {
            if (JsonInput.parse(text) instanceof JsonObject object) {
                return object;
            }
        } catch (JsonParseException e) {
            throw new UsageException("the text is not valid JSON; give one object");
        }
        throw new UsageException("the JSON is not an object; put it in braces");
    }

    /** Returns the object of a file of secrets: JSON, or lines of names and values. */
    static JsonObject secrets(String text) {
        if (text.stripLeading().startsWith("{")) {
            return json(text);
        }
        JsonObject secrets = new JsonObject();
        for (String line : text.split("\n", -1)) {
            int equals = line.indexOf('=');
            if (!line.isBlank() && !line.startsWith("#")) {
                if (equals <= 0) {
                    throw new UsageException("a line is not NAME=VALUE");
                }
                secrets.addProperty(
                        line.substring(0, equals), line.substring(equals + 1).stripTrailing());
            }
        }
        return secrets;
    }
}
