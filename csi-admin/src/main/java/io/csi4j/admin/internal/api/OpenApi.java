package io.csi4j.admin.internal.api;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.admin.internal.json.Shape;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The description of the API in OpenAPI 3.0.3. The extensions {@code x-csi-...} are for the shell. */
public final class OpenApi {
    private static final Gson PRETTY =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    private final Map<String, JsonObject> schemas = new TreeMap<>();
    private final Map<String, Shape<?>> shapes = new HashMap<>();

    private OpenApi() {}

    /** Returns the description of endpoints as a text that ends with a line break. */
    public static String of(List<Endpoint> endpoints) {
        return PRETTY.toJson(new OpenApi().document(endpoints)) + "\n";
    }

    private JsonObject document(List<Endpoint> endpoints) {
        JsonObject info = object("title", "csi4j");
        info.addProperty("version", "v1");
        info.addProperty(
                "description", "Reads and actions for operators of csi4j. Names and units are those of the Java API.");
        JsonObject document = object("openapi", "3.0.3");
        document.add("info", info);
        JsonObject paths = new JsonObject();
        for (Endpoint endpoint : endpoints) {
            if (!paths.has(endpoint.path())) {
                paths.add(endpoint.path(), new JsonObject());
            }
            paths.getAsJsonObject(endpoint.path()).add(lower(endpoint.method()), operation(endpoint));
        }
        document.add("paths", paths);
        reference(Failures.SHAPE);
        JsonObject components = new JsonObject();
        JsonObject all = new JsonObject();
        schemas.forEach(all::add);
        components.add("schemas", all);
        JsonObject scheme = object("type", "http");
        scheme.addProperty("scheme", "bearer");
        JsonObject schemes = new JsonObject();
        schemes.add("token", scheme);
        components.add("securitySchemes", schemes);
        document.add("components", components);
        JsonObject token = new JsonObject();
        token.add("token", new JsonArray());
        JsonArray security = new JsonArray();
        security.add(token);
        document.add("security", security);
        return document;
    }

    private static String lower(String method) {
        return method.toLowerCase(java.util.Locale.ROOT);
    }

    private JsonObject operation(Endpoint endpoint) {
        JsonObject operation = object("operationId", id(endpoint.command()));
        operation.addProperty("summary", endpoint.summary());
        if (!endpoint.description().isEmpty()) {
            operation.addProperty("description", endpoint.description());
        }
        JsonArray tags = new JsonArray();
        tags.add(endpoint.command().split(" ", 2)[0]);
        operation.add("tags", tags);
        operation.addProperty("x-csi-command", endpoint.command());
        operation.addProperty("x-csi-permission", endpoint.permission());
        if (endpoint.destroys()) {
            operation.addProperty("x-csi-destroys", true);
        }
        if (endpoint.everywhere()) {
            operation.addProperty("x-csi-everywhere", true);
        }
        JsonArray parameters = new JsonArray();
        JsonObject body = new JsonObject();
        JsonArray required = new JsonArray();
        for (Parameter parameter : Api.parameters(endpoint)) {
            if (parameter.in() == Parameter.In.BODY) {
                body.add(parameter.name(), schema(parameter));
                if (parameter.required()) {
                    required.add(parameter.name());
                }
            } else {
                parameters.add(parameter(parameter));
            }
        }
        if (endpoint.result() instanceof Endpoint.Action<?>) {
            parameters.add(idempotencyKey());
        }
        if (!parameters.isEmpty()) {
            operation.add("parameters", parameters);
        }
        if (!body.isEmpty() || endpoint.method().equals("POST")) {
            // The server takes a POST only as JSON, so that a page of another site cannot send one; a client sends {}.
            JsonObject requestBody = content("application/json", fields(body, required));
            requestBody.addProperty("required", endpoint.method().equals("POST"));
            operation.add("requestBody", requestBody);
        }
        operation.add("responses", responses(endpoint));
        return operation;
    }

    private static JsonObject idempotencyKey() {
        JsonObject key = object("name", "Idempotency-Key");
        key.addProperty("in", "header");
        key.addProperty("description", "A text of the client's choice: requests with the same key are one operation.");
        key.addProperty("required", false);
        key.add("schema", object("type", "string"));
        return key;
    }

    /** Returns an identifier for generated clients: {@code volume list} becomes {@code volumeList}. */
    private static String id(String command) {
        StringBuilder id = new StringBuilder();
        for (String word : command.split("[ -]", -1)) {
            id.append(id.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return id.toString();
    }

    private JsonObject responses(Endpoint endpoint) {
        JsonObject responses = new JsonObject();
        Endpoint.Result result = endpoint.result();
        Shape<?> shape = result.shape();
        JsonElement answer = shape == null ? object("type", "object") : reference(shape);
        if (result instanceof Endpoint.Pages<?>) {
            responses.add("200", response("A page.", "application/json", page(answer)));
        } else if (result instanceof Endpoint.Events<?>) {
            responses.add(
                    "200", response("Events, one JSON object each.", "text/event-stream", object("type", "string")));
        } else if (result instanceof Endpoint.Action<?>) {
            Operations.describe(this, responses, answer);
        } else {
            responses.add("200", response("The object.", "application/json", answer));
        }
        if (endpoint.atLeader() != null) {
            JsonObject header = object("description", "The reason, if the answer lacks what only the leader knows.");
            header.add("schema", object("type", "string"));
            JsonObject headers = new JsonObject();
            headers.add("Csi-Incomplete", header);
            responses.getAsJsonObject("200").add("headers", headers);
        }
        responses.add(
                "default", response("The request failed.", "application/problem+json", reference(Failures.SHAPE)));
        return responses;
    }

    private static JsonObject page(JsonElement item) {
        JsonObject items = object("type", "array");
        items.add("items", item);
        JsonObject index = object("type", "integer");
        index.addProperty("format", "int64");
        index.addProperty("description", "The index of the state that the page shows, for blocking queries.");
        JsonObject next = object("type", "string");
        next.addProperty("description", "Where the next page begins; absent at the end.");
        JsonObject properties = new JsonObject();
        properties.add("index", index);
        properties.add("items", items);
        properties.add("next", next);
        JsonArray required = new JsonArray();
        required.add("index");
        required.add("items");
        return fields(properties, required);
    }

    static JsonObject response(String description, String type, JsonElement schema) {
        JsonObject response = content(type, schema);
        response.addProperty("description", description);
        return response;
    }

    private static JsonObject content(String type, JsonElement schema) {
        JsonObject media = new JsonObject();
        media.add("schema", schema);
        JsonObject content = new JsonObject();
        content.add(type, media);
        JsonObject holder = new JsonObject();
        holder.add("content", content);
        return holder;
    }

    private static JsonObject fields(JsonObject properties, JsonArray required) {
        JsonObject schema = object("type", "object");
        schema.add("properties", properties);
        if (!required.isEmpty()) {
            schema.add("required", required);
        }
        return schema;
    }

    private static JsonObject parameter(Parameter parameter) {
        JsonObject described = object("name", parameter.name());
        described.addProperty("in", lower(parameter.in().name()));
        described.addProperty("description", parameter.description());
        described.addProperty("required", parameter.required());
        JsonObject schema = schema(parameter);
        schema.remove("description");
        described.add("schema", schema);
        return described;
    }

    private static JsonObject schema(Parameter parameter) {
        JsonObject schema = switch (parameter.type()) {
            case TEXT -> object("type", "string");
            case CHOICE -> choices(parameter.choices());
            case NUMBER -> integer();
            case BYTES -> {
                JsonObject bytes = integer();
                bytes.addProperty("x-csi-unit", "bytes");
                yield bytes;
            }
            case SECONDS -> {
                JsonObject seconds = object("type", "number");
                seconds.addProperty("x-csi-unit", "seconds");
                yield seconds;
            }
            case FLAG -> object("type", "boolean");
            case TEXTS -> array(object("type", "string"));
            case MAP -> map();
            case OBJECT -> nested(parameter.fields());
            case OBJECTS -> array(nested(parameter.fields()));
        };
        schema.addProperty("description", parameter.description());
        return schema;
    }

    private static JsonObject nested(List<Parameter> parameters) {
        JsonObject properties = new JsonObject();
        JsonArray required = new JsonArray();
        for (Parameter field : parameters) {
            properties.add(field.name(), schema(field));
            if (field.required()) {
                required.add(field.name());
            }
        }
        return fields(properties, required);
    }

    /** Adds the schema of a shape to the document, once, and returns a reference to it. */
    JsonObject reference(Shape<?> shape) {
        Shape<?> known = shapes.putIfAbsent(shape.name(), shape);
        if (known != null && known != shape) {
            throw new IllegalArgumentException("two shapes have the name " + shape.name());
        }
        if (!schemas.containsKey(shape.name())) {
            schemas.put(shape.name(), new JsonObject()); // A shape may contain itself.
            schemas.put(shape.name(), schema(shape));
        }
        return object("$ref", "#/components/schemas/" + shape.name());
    }

    private JsonObject schema(Shape<?> shape) {
        JsonObject properties = new JsonObject();
        JsonArray required = new JsonArray();
        JsonArray columns = new JsonArray();
        for (Shape.Field<?> field : shape.fields()) {
            JsonObject property = property(field);
            if (!property.has("$ref")) {
                property.addProperty("description", field.description());
            }
            field.column().ifPresent(head -> {
                JsonObject column = object("field", field.name());
                column.addProperty("head", head);
                columns.add(column);
            });
            properties.add(field.name(), property);
            if (!field.optional()) {
                required.add(field.name());
            }
        }
        JsonObject schema = fields(properties, required);
        schema.addProperty("description", shape.description());
        if (!columns.isEmpty()) {
            schema.add("x-csi-columns", columns);
        }
        return schema;
    }

    private JsonObject property(Shape.Field<?> field) {
        return switch (field.kind()) {
            case TEXT -> object("type", "string");
            case CHOICE -> choices(field.choices());
            case NUMBER -> integer();
            case FLAG -> object("type", "boolean");
            case TIME -> {
                JsonObject time = object("type", "string");
                time.addProperty("format", "date-time");
                yield time;
            }
            case SECONDS -> {
                JsonObject seconds = object("type", "number");
                seconds.addProperty("x-csi-unit", "seconds");
                yield seconds;
            }
            case TEXTS -> array(object("type", "string"));
            case MAP -> map();
            case OBJECT -> reference(element(field.element()));
            case OBJECTS -> array(reference(element(field.element())));
            case JSON -> new JsonObject();
        };
    }

    private static Shape<?> element(@Nullable Shape<?> shape) {
        if (shape == null) {
            throw new IllegalStateException("an object has no shape");
        }
        return shape;
    }

    private static JsonObject map() {
        JsonObject map = object("type", "object");
        map.add("additionalProperties", object("type", "string"));
        return map;
    }

    private static JsonObject integer() {
        JsonObject number = object("type", "integer");
        number.addProperty("format", "int64");
        return number;
    }

    private static JsonObject choices(List<String> words) {
        JsonObject choice = object("type", "string");
        JsonArray values = new JsonArray();
        words.forEach(values::add);
        choice.add("enum", values);
        return choice;
    }

    private static JsonObject array(JsonObject items) {
        JsonObject array = object("type", "array");
        array.add("items", items);
        return array;
    }

    private static JsonObject object(String name, String value) {
        JsonObject object = new JsonObject();
        object.addProperty(name, value);
        return object;
    }
}
