package io.csi4j.shell;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the commands from the description of the API in OpenAPI 3.0 with the extensions {@code x-csi-...}. */
final class ApiDescription {
    private final JsonObject document;

    private ApiDescription(JsonObject document) {
        this.document = document;
    }

    /** Returns the commands of the description that is part of the shell. */
    static List<ApiCommand> bundled() {
        try (InputStream file = ApiDescription.class.getResourceAsStream("openapi.json")) {
            if (file == null) {
                throw new IllegalStateException("openapi.json is missing in the jar of the shell; build it again");
            }
            return read(new InputStreamReader(file, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the commands of a description. */
    static List<ApiCommand> read(Reader text) {
        return new ApiDescription(JsonParser.parseReader(text).getAsJsonObject()).commands();
    }

    private List<ApiCommand> commands() {
        List<ApiCommand> commands = new ArrayList<>();
        document.getAsJsonObject("paths")
                .entrySet()
                .forEach(path -> path.getValue()
                        .getAsJsonObject()
                        .entrySet()
                        .forEach(operation -> commands.add(command(
                                operation.getKey().toUpperCase(Locale.ROOT),
                                path.getKey(),
                                operation.getValue().getAsJsonObject()))));
        return commands;
    }

    private ApiCommand command(String method, String path, JsonObject operation) {
        List<ApiParameter> parameters = new ArrayList<>();
        for (JsonElement element : array(operation, "parameters")) {
            JsonObject parameter = element.getAsJsonObject();
            parameters.add(new ApiParameter(
                    ApiParameter.Place.valueOf(text(parameter, "in").toUpperCase(Locale.ROOT)),
                    field(
                            text(parameter, "name"),
                            parameter.getAsJsonObject("schema"),
                            text(parameter, "description"),
                            parameter.get("required").getAsBoolean(),
                            Optional.empty())));
        }
        if (operation.has("requestBody")) {
            JsonObject body = schema(operation.getAsJsonObject("requestBody"), "application/json");
            if (body != null) {
                fields(body).forEach(field -> parameters.add(new ApiParameter(ApiParameter.Place.BODY, field)));
            }
        }
        JsonObject responses = operation.getAsJsonObject("responses");
        JsonObject ok = responses.has("200") ? responses.getAsJsonObject("200") : new JsonObject();
        JsonObject answer = schema(ok, "application/json");
        ApiCommand.Answer kind = ApiCommand.Answer.OBJECT;
        List<ApiField> shape = answer == null ? List.of() : fields(answer);
        if (schema(ok, "text/event-stream") != null) {
            kind = ApiCommand.Answer.EVENTS;
        } else if (has(shape, "items") && has(shape, "index")) {
            kind = ApiCommand.Answer.PAGES;
            shape = shape.stream()
                    .filter(field -> field.name().equals("items"))
                    .findFirst()
                    .orElseThrow()
                    .fields();
        }
        return new ApiCommand(
                List.of(text(operation, "x-csi-command").split(" ", -1)),
                method,
                path,
                text(operation, "summary"),
                text(operation, "description"),
                text(operation, "x-csi-permission"),
                flag(operation, "x-csi-destroys"),
                flag(operation, "x-csi-everywhere"),
                List.copyOf(parameters),
                kind,
                shape);
    }

    private static boolean has(List<ApiField> fields, String name) {
        return fields.stream().anyMatch(field -> field.name().equals(name));
    }

    private static String text(JsonObject object, String name) {
        return object.has(name) ? object.get(name).getAsString() : "";
    }

    private static boolean flag(JsonObject object, String name) {
        return object.has(name) && object.get(name).getAsBoolean();
    }

    private static JsonArray array(JsonObject object, String name) {
        return object.has(name) ? object.getAsJsonArray(name) : new JsonArray();
    }

    private static @Nullable JsonObject schema(JsonObject holder, String type) {
        JsonObject content = holder.getAsJsonObject("content");
        JsonObject media = content == null ? null : content.getAsJsonObject(type);
        return media == null ? null : media.getAsJsonObject("schema");
    }

    private JsonObject resolved(JsonObject schema) {
        if (!schema.has("$ref")) {
            return schema;
        }
        JsonObject found = document;
        for (String part : text(schema, "$ref").substring(2).split("/", -1)) {
            found = found.getAsJsonObject(part);
        }
        return found;
    }

    private List<ApiField> fields(JsonObject holder) {
        JsonObject schema = resolved(holder);
        List<ApiField> fields = new ArrayList<>();
        JsonObject properties = schema.getAsJsonObject("properties");
        if (properties == null) {
            return fields;
        }
        JsonArray required = array(schema, "required");
        properties.entrySet().forEach(entry -> {
            JsonObject property = entry.getValue().getAsJsonObject();
            fields.add(field(
                    entry.getKey(),
                    property,
                    text(property, "description"),
                    required.asList().stream()
                            .anyMatch(word -> word.getAsString().equals(entry.getKey())),
                    head(schema, entry.getKey())));
        });
        return fields;
    }

    private static Optional<String> head(JsonObject schema, String name) {
        return array(schema, "x-csi-columns").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .filter(column -> text(column, "field").equals(name))
                .map(column -> text(column, "head"))
                .findFirst();
    }

    private ApiField field(
            String name, JsonObject property, String description, boolean required, Optional<String> head) {
        JsonObject schema = resolved(property);
        ApiField.Type type = type(name, schema);
        List<String> choices = array(schema, "enum").asList().stream()
                .map(JsonElement::getAsString)
                .toList();
        return new ApiField(name, type, description, required, head, choices, () -> switch (type) {
            case OBJECT -> fields(schema);
            case OBJECTS -> fields(schema.getAsJsonObject("items"));
            default -> List.of();
        });
    }

    private ApiField.Type type(String name, JsonObject schema) {
        String unit = text(schema, "x-csi-unit");
        return switch (text(schema, "type")) {
            case "integer", "number" ->
                unit.equals("seconds")
                        ? ApiField.Type.SECONDS
                        : unit.equals("bytes") || name.endsWith("Bytes") ? ApiField.Type.BYTES : ApiField.Type.NUMBER;
            case "boolean" -> ApiField.Type.FLAG;
            case "array" ->
                text(resolved(schema.getAsJsonObject("items")), "type").equals("object")
                        ? ApiField.Type.OBJECTS
                        : ApiField.Type.TEXTS;
            case "object" -> schema.has("additionalProperties") ? ApiField.Type.MAP : ApiField.Type.OBJECT;
            default ->
                schema.has("enum")
                        ? ApiField.Type.CHOICE
                        : text(schema, "format").equals("date-time") ? ApiField.Type.TIME : ApiField.Type.TEXT;
        };
    }
}
