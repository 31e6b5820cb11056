package io.csi4j.admin.internal.api;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.TypeAdapter;
import io.csi4j.admin.internal.http.HttpRequest;
import io.csi4j.core.call.Problem;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads the parameters of a request as an endpoint declares them. An unknown parameter is an error, because it may be a misspelled one. */
final class ValueReader {
    private static final TypeAdapter<JsonElement> JSON = json();

    private ValueReader() {}

    private static TypeAdapter<JsonElement> json() {
        Gson strict = new GsonBuilder().setStrictness(Strictness.STRICT).create();
        return strict.getAdapter(JsonElement.class);
    }

    /** Reads the path, the query and the body of a request. */
    static Values read(List<Parameter> parameters, Map<String, String> path, HttpRequest request) {
        // A waiting request keeps its values, so their names are those of the parameters and not its own.
        Map<String, Object> values = new HashMap<>();
        parameters.stream()
                .filter(parameter -> parameter.in() == Parameter.In.PATH)
                .forEach(parameter -> values.put(parameter.name(), path.get(parameter.name())));
        Map<String, Parameter> queries = named(parameters, Parameter.In.QUERY);
        BadRequestException.Collected problems = new BadRequestException.Collected();
        request.head()
                .query()
                .forEach((name, given) -> problems.part(() -> {
                    Parameter parameter = known(queries, name, "");
                    values.put(parameter.name(), Present.WRONG);
                    values.put(parameter.name(), fromQuery(parameter, given));
                }));
        List<Parameter> fields = parameters.stream()
                .filter(parameter -> parameter.in() == Parameter.In.BODY)
                .toList();
        if (request.body().length > 0) {
            JsonObject body = object(request.body());
            problems.part(() -> values.putAll(fromBody(fields, body, "")));
        } else {
            check(fields, values, "", problems);
        }
        check(
                parameters.stream()
                        .filter(parameter -> parameter.in() != Parameter.In.BODY)
                        .toList(),
                values,
                "",
                problems);
        problems.end();
        return new Values(values, "");
    }

    private static Map<String, Parameter> named(List<Parameter> parameters, Parameter.In in) {
        return parameters.stream()
                .filter(parameter -> parameter.in() == in)
                .collect(Collectors.toMap(Parameter::name, parameter -> parameter, (a, b) -> a, LinkedHashMap::new));
    }

    private static Parameter known(Map<String, Parameter> parameters, String name, String prefix) {
        Parameter parameter = parameters.get(name);
        if (parameter == null) {
            throw new BadRequestException(
                    prefix + shown(name),
                    "is not a parameter of this request",
                    parameters.isEmpty() ? "leave it out" : "use one of " + String.join(", ", parameters.keySet()));
        }
        return parameter;
    }

    /** Returns an unknown name so that it fits in a message. */
    private static String shown(String name) {
        String text = name.codePoints()
                .filter(c -> !Character.isISOControl(c))
                .limit(40)
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
        return text.isEmpty() ? "(empty)" : text;
    }

    /** The place of a value that cannot be read, so that it does not count as missing besides. */
    private enum Present {
        WRONG
    }

    private static void check(
            List<Parameter> parameters,
            Map<String, Object> values,
            String prefix,
            BadRequestException.Collected problems) {
        for (Parameter parameter : parameters) {
            if (parameter.required() && !values.containsKey(parameter.name())) {
                problems.add(
                        new Problem(prefix + parameter.name(), "is missing", "add it: " + parameter.description()));
            }
        }
    }

    private static Object fromQuery(Parameter parameter, List<String> given) {
        if (parameter.type() == Parameter.Type.TEXTS) {
            return List.copyOf(given);
        }
        if (given.size() > 1) {
            throw new BadRequestException(parameter.name(), "is there " + given.size() + " times", "give it once");
        }
        String text = given.get(0);
        return switch (parameter.type()) {
            case TEXT -> text;
            case CHOICE -> choice(parameter, text, "");
            case NUMBER, BYTES -> number(parameter, text, "");
            case FLAG -> flag(parameter, text);
            case SECONDS -> seconds(parameter, text, "");
            default -> throw new IllegalStateException(parameter.name() + " cannot be in a query");
        };
    }

    private static boolean flag(Parameter parameter, String text) {
        if (text.isEmpty() || text.equals("true")) {
            return true; // ?dryRun is enough.
        }
        if (text.equals("false")) {
            return false;
        }
        throw new BadRequestException(parameter.name(), "is neither true nor false", "use one of them");
    }

    private static String choice(Parameter parameter, String text, String prefix) {
        if (!parameter.choices().contains(text)) {
            throw new BadRequestException(
                    prefix + parameter.name(),
                    "has an unknown value",
                    "use one of " + String.join(", ", parameter.choices()));
        }
        return text;
    }

    private static Long number(Parameter parameter, String text, String prefix) {
        try {
            return new BigDecimal(text).longValueExact();
        } catch (NumberFormatException e) {
            throw notNumber(parameter, prefix);
        } catch (ArithmeticException e) {
            throw new BadRequestException(
                    prefix + parameter.name(),
                    "is not a whole number of at most 64 bits",
                    "give a whole number" + (parameter.type() == Parameter.Type.BYTES ? " of bytes" : ""));
        }
    }

    private static Duration seconds(Parameter parameter, String text, String prefix) {
        try {
            BigDecimal seconds = new BigDecimal(text);
            if (seconds.signum() < 0 || seconds.compareTo(BigDecimal.valueOf(1_000_000_000)) > 0) {
                throw new BadRequestException(
                        prefix + parameter.name(),
                        "is not a time from 0 to 1000000000 s",
                        "give seconds in that range");
            }
            return Duration.ofMillis(seconds.movePointRight(3).longValue());
        } catch (NumberFormatException e) {
            throw notNumber(parameter, prefix);
        }
    }

    private static BadRequestException notNumber(Parameter parameter, String prefix) {
        return new BadRequestException(
                prefix + parameter.name(),
                "is not a number",
                parameter.type() == Parameter.Type.SECONDS ? "give seconds, for example 30" : "give a whole number");
    }

    private static JsonObject object(byte[] body) {
        JsonElement parsed;
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
            parsed = JSON.fromJson(text);
        } catch (CharacterCodingException e) {
            throw new BadRequestException("body", "is not UTF-8", "send JSON in UTF-8");
        } catch (java.io.IOException | JsonParseException e) {
            throw new BadRequestException("body", "is not valid JSON", "send one JSON object");
        }
        if (!(parsed instanceof JsonObject object)) {
            throw new BadRequestException("body", "is not a JSON object", "send one JSON object");
        }
        return object;
    }

    private static Map<String, Object> fromBody(List<Parameter> parameters, JsonObject object, String prefix) {
        Map<String, Parameter> fields = named(parameters, Parameter.In.BODY);
        Map<String, Object> values = new HashMap<>();
        BadRequestException.Collected problems = new BadRequestException.Collected();
        for (Map.Entry<String, JsonElement> entry : object.entrySet()) {
            problems.part(() -> {
                Parameter field = known(fields, entry.getKey(), prefix);
                if (!entry.getValue().isJsonNull()) {
                    values.put(entry.getKey(), Present.WRONG);
                    values.put(entry.getKey(), fromJson(field, entry.getValue(), prefix));
                }
            });
        }
        check(parameters, values, prefix, problems);
        problems.end();
        return values;
    }

    private static Object fromJson(Parameter field, JsonElement value, String prefix) {
        String name = prefix + field.name();
        return switch (field.type()) {
            case TEXT -> text(value, name);
            case CHOICE -> choice(field, text(value, name), prefix);
            case NUMBER, BYTES -> number(field, numeral(field, value, prefix), prefix);
            case SECONDS -> seconds(field, numeral(field, value, prefix), prefix);
            case FLAG -> {
                if (value instanceof JsonPrimitive primitive && primitive.isBoolean()) {
                    yield primitive.getAsBoolean();
                }
                throw new BadRequestException(name, "is neither true nor false", "use one of them");
            }
            case TEXTS -> {
                List<String> texts = new ArrayList<>();
                for (JsonElement element : array(value, name)) {
                    texts.add(text(element, name + "[" + texts.size() + "]"));
                }
                yield List.copyOf(texts);
            }
            case MAP -> {
                Map<String, String> map = new LinkedHashMap<>();
                for (Map.Entry<String, JsonElement> entry : child(value, name).entrySet()) {
                    map.put(entry.getKey(), text(entry.getValue(), name + "." + shown(entry.getKey())));
                }
                yield Collections.unmodifiableMap(map); // A plugin gets its parameters in the order of the request.
            }
            case OBJECT -> new Values(fromBody(field.fields(), child(value, name), name + "."), name + ".");
            case OBJECTS -> {
                List<Values> objects = new ArrayList<>();
                for (JsonElement element : array(value, name)) {
                    String at = name + "[" + objects.size() + "]";
                    objects.add(new Values(fromBody(field.fields(), child(element, at), at + "."), at + "."));
                }
                yield List.copyOf(objects);
            }
        };
    }

    private static String text(JsonElement value, String name) {
        if (value instanceof JsonPrimitive primitive && primitive.isString()) {
            return primitive.getAsString();
        }
        throw new BadRequestException(name, "is not a text", "put it in quotation marks");
    }

    private static String numeral(Parameter field, JsonElement value, String prefix) {
        if (value instanceof JsonPrimitive primitive && primitive.isNumber()) {
            String numeral = primitive.getAsString();
            // A number such as 1e999999999 would need gigabytes when it is written out.
            if (numeral.length() <= 40 && numeral.chars().noneMatch(c -> c == 'e' || c == 'E')) {
                return numeral;
            }
        }
        throw notNumber(field, prefix);
    }

    private static JsonArray array(JsonElement value, String name) {
        if (value instanceof JsonArray array) {
            return array;
        }
        throw new BadRequestException(name, "is not a list", "put it in square brackets");
    }

    private static JsonObject child(JsonElement value, String name) {
        if (value instanceof JsonObject object) {
            return object;
        }
        throw new BadRequestException(name, "is not an object", "put it in braces");
    }
}
