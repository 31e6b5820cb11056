package io.csi4j.admin;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares JSON with the schemas of a description. A field that the schema does not have is a problem too: the description
 * would be incomplete.
 */
final class SchemaCheck {
    private final JsonObject schemas;
    private final List<String> problems = new ArrayList<>();
    private final Set<String> seen = new TreeSet<>();

    SchemaCheck(JsonObject description) {
        this.schemas = description.getAsJsonObject("components").getAsJsonObject("schemas");
    }

    /** Returns what does not fit. */
    List<String> problems(JsonObject schema, JsonElement value) {
        problems.clear();
        check("$", "", schema, value);
        return List.copyOf(problems);
    }

    /** Returns the fields that some value had, as {@code Schema.field}. */
    Set<String> seen() {
        return seen;
    }

    private void check(String at, String name, JsonObject schema, JsonElement value) {
        if (schema.has("$ref")) {
            String referred = schema.get("$ref").getAsString().replaceFirst("#/components/schemas/", "");
            if (!schemas.has(referred)) {
                problems.add(at + ": the description has no schema " + referred);
            } else {
                check(at, referred, schemas.getAsJsonObject(referred), value);
            }
            return;
        }
        if (!schema.has("type")) {
            return; // Any JSON.
        }
        switch (schema.get("type").getAsString()) {
            case "object" -> object(at, name, schema, value);
            case "array" -> array(at, schema, value);
            case "string" -> string(at, schema, value);
            case "integer" -> expect(at, isNumber(value) && whole(value), "a whole number", value);
            case "number" -> expect(at, isNumber(value), "a number", value);
            case "boolean" ->
                expect(at, value instanceof JsonPrimitive primitive && primitive.isBoolean(), "a boolean", value);
            default -> problems.add(at + ": unknown type in " + schema);
        }
    }

    private void object(String at, String name, JsonObject schema, JsonElement value) {
        if (!(value instanceof JsonObject object)) {
            problems.add(at + ": is no object but " + value);
            return;
        }
        JsonObject properties = schema.has("properties") ? schema.getAsJsonObject("properties") : new JsonObject();
        if (schema.has("required")) {
            schema.getAsJsonArray("required")
                    .forEach(field -> expect(at, object.has(field.getAsString()), "the field " + field, value));
        }
        for (Map.Entry<String, JsonElement> field : object.entrySet()) {
            String below = at + "." + field.getKey();
            if (properties.has(field.getKey())) {
                seen.add(name + "." + field.getKey());
                check(below, "", properties.getAsJsonObject(field.getKey()), field.getValue());
            } else if (schema.has("additionalProperties")) {
                check(below, "", schema.getAsJsonObject("additionalProperties"), field.getValue());
            } else {
                problems.add(below + ": is not in the description");
            }
        }
    }

    private void array(String at, JsonObject schema, JsonElement value) {
        if (!value.isJsonArray()) {
            problems.add(at + ": is no list but " + value);
            return;
        }
        int index = 0;
        for (JsonElement element : value.getAsJsonArray()) {
            check(at + "[" + index++ + "]", "", schema.getAsJsonObject("items"), element);
        }
    }

    private void string(String at, JsonObject schema, JsonElement value) {
        if (!(value instanceof JsonPrimitive primitive) || !primitive.isString()) {
            problems.add(at + ": is no text but " + value);
            return;
        }
        if (schema.has("enum")) {
            expect(at, schema.getAsJsonArray("enum").contains(value), "one of " + schema.get("enum"), value);
        }
        if (schema.has("format")) {
            try {
                Instant.parse(primitive.getAsString());
            } catch (DateTimeParseException e) {
                problems.add(at + ": is no time: " + value);
            }
        }
    }

    private static boolean isNumber(JsonElement value) {
        return value instanceof JsonPrimitive primitive && primitive.isNumber();
    }

    private static boolean whole(JsonElement value) {
        return new BigDecimal(value.getAsString()).stripTrailingZeros().scale() <= 0;
    }

    private void expect(String at, boolean fits, String expected, JsonElement value) {
        if (!fits) {
            problems.add(at + ": expected " + expected + ", not " + value);
        }
    }
}
