package io.csi4j.shell;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Makes the requests of a command from its arguments. */
final class RequestBuilder {
    private static final Duration WAIT = Duration.ofSeconds(60);

    private final ApiCommand command;
    private final List<Argument> arguments;
    private final ParseResult parsed;
    private final UnaryOperator<String> file;
    private final String path;
    private final StringBuilder shown = new StringBuilder();
    private final Set<String> problems = new LinkedHashSet<>();

    /** @param file returns the text of a file */
    RequestBuilder(ApiCommand command, List<Argument> arguments, ParseResult parsed, UnaryOperator<String> file) {
        this.command = command;
        this.arguments = arguments;
        this.parsed = parsed;
        this.file = file;
        this.path = path();
    }

    private String path() {
        String filled = command.path();
        int position = 0;
        for (Argument argument : arguments) {
            if (argument.place() == ApiParameter.Place.PATH) {
                String value = parsed.matchedPositionalValue(position++, "");
                if (value.isEmpty() || value.equals(".") || value.equals("..")) {
                    problems.add(argument.label() + " cannot be '" + value + "'");
                }
                filled = filled.replace("{" + argument.path().get(0) + "}", encoded(word(argument, value)));
                shown.append(' ').append(value);
            }
        }
        return filled;
    }

    /** Returns an argument of the path as the server reads it; notes a word that is none of the choices. */
    private String word(Argument argument, String value) {
        if (argument.field().type() != ApiField.Type.CHOICE) {
            return value;
        }
        try {
            return Values.value(argument.label(), argument.field(), List.of(value))
                    .getAsString();
        } catch (UsageException e) {
            problems.add(String.valueOf(e.getMessage()));
            return value;
        }
    }

    /** Returns the arguments of the path as the person wrote them, each after a space. */
    String shownPath() {
        return shown.toString();
    }

    boolean isDryRun() {
        return arguments.stream()
                .anyMatch(argument -> argument.field().name().equals("dryRun")
                        && values(argument)
                                .map(given -> given.get(0))
                                .orElse("")
                                .equals("true"));
    }

    /**
     * Returns a request that reads.
     *
     * @param index waits for something newer than this index
     * @param page the parameters of a page
     */
    HttpRequest reading(OptionalLong index, Map<String, String> page) {
        List<String> query = query();
        page.forEach((name, value) -> query.add(name + "=" + encoded(value)));
        if (index.isPresent()) {
            query.add("index=" + index.getAsLong());
            query.add("wait=" + WAIT.toSeconds());
        }
        return checked(() -> HttpRequest.get(
                target(query), index.isPresent() ? WAIT.plus(HttpRequest.SILENCE) : HttpRequest.SILENCE));
    }

    /** Returns a request for events. */
    HttpRequest events() {
        return checked(() -> new HttpRequest(
                "GET",
                target(query()),
                "",
                "text/event-stream, application/problem+json",
                Optional.empty(),
                EventStream.SILENCE));
    }

    /** Returns a request that acts. */
    HttpRequest acting(Supplier<String> keys, boolean noWait) {
        String key = keys.get();
        for (Argument argument : arguments) {
            if (argument.place() == ApiParameter.Place.HEADER) {
                key = values(argument).map(given -> given.get(0)).orElse(key);
                if (!key.matches("[\\x21-\\x7e]{1,200}")) {
                    problems.add(argument.option() + ": give 1 to 200 letters and digits");
                }
            }
        }
        List<String> query = query();
        if (noWait && command.has(ApiParameter.Place.QUERY, "wait")) {
            query.add("wait=0");
        }
        Optional<String> sent = Optional.of(key);
        return checked(() -> new HttpRequest(
                command.method(),
                target(query),
                body(),
                "application/json, application/problem+json",
                sent,
                HttpRequest.SILENCE));
    }

    /** Reads one part of the arguments; its problem is named with all others. */
    private void part(Runnable reading) {
        try {
            reading.run();
        } catch (UsageException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
    }

    /** Returns a request, if its arguments have no problems. */
    private HttpRequest checked(Supplier<HttpRequest> request) {
        HttpRequest made = request.get();
        if (!problems.isEmpty()) {
            throw new UsageException(String.join("; ", problems));
        }
        return made;
    }

    private String target(List<String> query) {
        return query.isEmpty() ? path : path + "?" + String.join("&", query);
    }

    private List<String> query() {
        List<String> query = new ArrayList<>();
        for (Argument argument : arguments) {
            if (argument.place() == ApiParameter.Place.QUERY) {
                Optional<List<String>> given = values(argument);
                if (given.isEmpty() && argument.field().required()) {
                    problems.add(argument.option() + " is missing");
                }
                given.ifPresent(texts -> part(() -> {
                    JsonElement value = Values.value(argument.option(), argument.field(), texts);
                    List<JsonElement> all =
                            value.isJsonArray() ? value.getAsJsonArray().asList() : List.of(value);
                    all.forEach(one -> query.add(argument.field().name() + "=" + encoded(one.getAsString())));
                }));
            }
        }
        return query;
    }

    private String body() {
        if (arguments.stream().noneMatch(argument -> argument.place() == ApiParameter.Place.BODY)) {
            return command.method().equals("DELETE") ? "" : "{}";
        }
        String from = parsed.matchedOptionValue("--file", "");
        JsonObject body = from.isEmpty() ? new JsonObject() : Values.json(file.apply(from));
        for (Argument argument : arguments) {
            if (argument.place() == ApiParameter.Place.BODY) {
                Optional<List<String>> given = values(argument);
                given.ifPresent(texts -> part(() -> put(body, argument, texts)));
                if (argument.isRequired()
                        && given.isEmpty()
                        && !body.has(argument.field().name())) {
                    problems.add(argument.option() + " is missing");
                }
            }
        }
        return body.toString();
    }

    private void put(JsonObject body, Argument argument, List<String> texts) {
        JsonObject object = body;
        for (String above : argument.path().subList(0, argument.path().size() - 1)) {
            if (!(object.get(above) instanceof JsonObject)) {
                object.add(above, new JsonObject());
            }
            object = object.getAsJsonObject(above);
        }
        object.add(
                argument.field().name(),
                argument.field().isSecret()
                        ? Values.secrets(file.apply(texts.get(0)))
                        : Values.value(argument.option(), argument.field(), texts));
    }

    private Optional<List<String>> values(Argument argument) {
        OptionSpec option = parsed.matchedOption(argument.option());
        if (option == null) {
            return Optional.empty();
        }
        Object value = option.getValue();
        if (value instanceof List<?> list) {
            return Optional.of(list.stream().map(String::valueOf).toList());
        }
        return Optional.of(List.of(String.valueOf(value)));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
