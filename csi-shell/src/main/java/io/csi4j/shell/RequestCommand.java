package io.csi4j.shell;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** A command that is one request of the API. */
final class RequestCommand {
    private final ApiCommand command;
    private final GlobalOptions before;
    private final GlobalOptions options = new GlobalOptions();
    private final ShellContext context;
    private final List<Argument> arguments;
    private CommandSpec spec = CommandSpec.create();

    /** @param before the options that stand before the command */
    RequestCommand(ApiCommand command, GlobalOptions before, ShellContext context) {
        this.command = command;
        this.before = before;
        this.context = context;
        this.arguments = Argument.of(command);
    }

    List<Argument> arguments() {
        return arguments;
    }

    GlobalOptions options() {
        return options;
    }

    void spec(CommandSpec known) {
        this.spec = known;
    }

    int call() {
        try {
            return run();
        } catch (UsageException e) {
            context.terminal().note("csi: " + Text.safe(String.valueOf(e.getMessage())));
            return Csi.USAGE;
        } catch (FailedException e) {
            context.terminal().note("csi: " + e.getMessage());
            return e.code();
        } catch (IOException | JsonParseException e) {
            context.terminal().note("csi: the answer of the server cannot be read: " + Servers.reason(e));
            return Csi.FAILED;
        }
    }

    private int run() throws FailedException, IOException {
        ParseResult parsed = spec.commandLine().getParseResult();
        GlobalOptions all = options.or(before);
        Settings settings = Settings.read(
                all, context.environment(), warning -> context.terminal().note("csi: " + Text.safe(warning)));
        Servers servers = new Servers(settings, Trust.of(settings.ca()), context.pause());
        Output output = new Output(context, all);
        RequestBuilder request = new RequestBuilder(command, arguments, parsed, this::text);
        if (command.acts()) {
            return act(servers, output, request, parsed);
        } else if (command.answer() == ApiCommand.Answer.EVENTS) {
            return events(servers, output, request);
        } else if (command.answer() == ApiCommand.Answer.PAGES) {
            return list(servers, output, request, parsed);
        }
        return command.everywhere() && servers.addresses().size() > 1
                ? everywhere(servers, output, request)
                : one(servers, output, request, parsed.hasMatchedOption("--watch"));
    }

    /** Returns the text of a file or, for a hyphen, of the input. */
    private String text(String file) {
        try {
            if (file.equals("-")) {
                StringBuilder text = new StringBuilder();
                char[] buffer = new char[8192];
                for (int n = context.terminal().in().read(buffer);
                        n >= 0;
                        n = context.terminal().in().read(buffer)) {
                    text.append(buffer, 0, n);
                }
                return text.toString();
            }
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new UsageException(file + " cannot be read: " + e.getClass().getSimpleName());
        }
    }

    private int act(Servers servers, Output output, RequestBuilder request, ParseResult parsed)
            throws FailedException, IOException {
        boolean noWait = parsed.hasMatchedOption("--no-wait");
        HttpRequest http = request.acting(context.keys(), noWait);
        if (command.destroys() && !parsed.hasMatchedOption("--yes") && !request.isDryRun()) {
            confirm(request, parsed);
        }
        return new OperationFollower(command, servers, output, context).run(http, noWait);
    }

    private void confirm(RequestBuilder request, ParseResult parsed) throws FailedException {
        List<Argument> flags = arguments.stream()
                .filter(argument -> argument.field().type() == ApiField.Type.FLAG
                        && !argument.field().name().equals("dryRun"))
                .filter(argument -> parsed.hasMatchedOption(argument.option()))
                .toList();
        StringBuilder shown = new StringBuilder("csi ").append(command.name()).append(request.shownPath());
        StringBuilder effect = new StringBuilder(command.summary()).append('.');
        for (Argument flag : flags) {
            shown.append(' ').append(flag.option());
            effect.append(' ').append(flag.field().description());
        }
        Confirmation.ask(context.terminal(), shown.toString(), effect.toString());
    }

    private int events(Servers servers, Output output, RequestBuilder request) throws FailedException, IOException {
        try (Servers.Answer answer = servers.send(request.events())) {
            Optional<JsonObject> last = new EventStream(answer.reply().body()).read(output::event);
            return last.map(OperationFollower::exitCode).orElse(CommandLine.ExitCode.OK);
        }
    }

    private int one(Servers servers, Output output, RequestBuilder request, boolean watched)
            throws FailedException, IOException {
        OptionalLong index = OptionalLong.empty();
        while (true) {
            long next;
            boolean well;
            try (Servers.Answer answer = servers.send(request.reading(index, Map.of()))) {
                JsonElement value = JsonInput.one(answer.reply());
                well = answer.reply().status() == 200 && (!command.everywhere() || able(value));
                next = index(answer.reply());
                if (!watched) {
                    output.object(command.shape(), value);
                } else if (index.isEmpty() || index.getAsLong() != next) {
                    output.watched(spec.qualifiedName(" "), command.shape(), value);
                }
                if (index.isEmpty()) {
                    answer.incomplete().ifPresent(output::lacks);
                }
            }
            if (!watched || output.isClosed()) {
                return well ? CommandLine.ExitCode.OK : Csi.FAILED;
            }
            index = OptionalLong.of(next);
        }
    }

    /** Asks each server, because each answers for itself. */
    private int everywhere(Servers servers, Output output, RequestBuilder request) {
        long end = servers.end();
        JsonArray all = new JsonArray();
        List<Integer> failures = new ArrayList<>();
        List<Optional<String>> incomplete = new ArrayList<>();
        for (Address address : servers.addresses()) {
            JsonObject one = new JsonObject();
            one.addProperty("address", address.toString());
            all.add(one);
            try (Servers.Answer answer = servers.once(address, request.reading(OptionalLong.empty(), Map.of()), end)) {
                JsonElement state = JsonInput.one(answer.reply());
                one.add("answer", state);
                if (!able(state)) {
                    failures.add(Csi.FAILED);
                }
                incomplete.add(answer.incomplete());
            } catch (FailedException e) {
                one.addProperty("failure", String.valueOf(e.getMessage()));
                failures.add(e.code());
            } catch (IOException | JsonParseException e) {
                one.addProperty("failure", "the answer cannot be read: " + Servers.reason(e));
                failures.add(Csi.FAILED);
            }
            if (!output.json()) {
                if (one.has("answer")) {
                    output.ofServer(address.toString(), command.shape(), one.get("answer"));
                } else {
                    output.ofServer(address.toString(), one.get("failure").getAsString());
                }
            }
        }
        if (output.json()) {
            output.object(List.of(), servers(all));
        }
        if (!incomplete.isEmpty() && incomplete.stream().allMatch(Optional::isPresent)) {
            output.lacks(incomplete.get(0).orElseThrow());
        }
        return failures.isEmpty()
                ? CommandLine.ExitCode.OK
                : failures.size() == all.size() ? failures.get(0) : Csi.FAILED;
    }

    /** Returns whether a server can do its work; if its answer does not say so, it can. */
    private static boolean able(JsonElement state) {
        return !state.isJsonObject()
                || !state.getAsJsonObject().has("able")
                || state.getAsJsonObject().get("able").getAsBoolean();
    }

    private static JsonObject servers(JsonArray all) {
        JsonObject servers = new JsonObject();
        servers.add("servers", all);
        return servers;
    }

    private static long index(HttpReply reply) {
        String text = reply.header("csi-index").orElse("");
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
    }

    private int list(Servers servers, Output output, RequestBuilder request, ParseResult parsed)
            throws FailedException, IOException {
        boolean watched = parsed.hasMatchedOption("--watch");
        long limit = limit(parsed);
        if (watched && output.redraws()) {
            limit = Math.min(limit, Math.max(1, context.terminal().rows() - 3L));
        }
        OptionalLong index = OptionalLong.empty();
        while (true) {
            long next = pages(servers, output, request, limit, index, watched);
            if (!watched || output.isClosed()) {
                return CommandLine.ExitCode.OK;
            }
            index = OptionalLong.of(next);
        }
    }

    private static long limit(ParseResult parsed) {
        String text = parsed.matchedOptionValue("--limit", "");
        if (text.isEmpty()) {
            return Long.MAX_VALUE;
        }
        if (!text.matches("[1-9]\\d{0,17}")) {
            throw new UsageException("--limit: '" + text + "' is not a number of at least 1");
        }
        return Long.parseLong(text);
    }

    /** Prints a list from its first page on, and returns the index of that page. */
    private long pages(
            Servers servers, Output output, RequestBuilder request, long limit, OptionalLong index, boolean watched)
            throws FailedException, IOException {
        Output.Rows rows = null;
        Optional<String> incomplete = Optional.empty();
        Optional<String> note = Optional.empty();
        long first = 0;
        long left = limit;
        String after = "";
        do {
            Map<String, String> page = after.isEmpty()
                    ? Map.of("limit", Long.toString(Math.min(left, 1000)))
                    : Map.of("limit", Long.toString(Math.min(left, 1000)), "after", after);
            try (Servers.Answer answer =
                    servers.send(request.reading(rows == null ? index : OptionalLong.empty(), page))) {
                if (rows == null) {
                    first = index(answer.reply());
                    if (index.isPresent() && index.getAsLong() == first) {
                        return first; // The wait is over, and nothing has changed.
                    }
                    rows = watched
                            ? output.watchedRows(spec.qualifiedName(" "), command.shape())
                            : output.rows(command.shape());
                    incomplete = answer.incomplete();
                    note = answer.reply().header("csi-note");
                }
                PageReader reader = new PageReader(rows, left);
                reader.read(answer.reply().body());
                left -= reader.count();
                if (!reader.next().isEmpty() && reader.next().equals(after)) {
                    throw new FailedException(Csi.FAILED, "the server repeats a page of the list; report this");
                }
                after = reader.next();
            }
        } while (!after.isEmpty() && left > 0 && !output.isClosed());
        rows.end(!after.isEmpty());
        if (index.isEmpty()) {
            incomplete.ifPresent(output::lacks);
            note.ifPresent(text -> context.terminal().note("csi: " + Text.safe(text)));
        }
        return first;
    }

    /** Reads a page item by item, and prints them in small groups. */
    private static final class PageReader {
        private static final int GROUP = 1000;

        private final Output.Rows rows;
        private final long limit;
        private long count;
        private String next = "";

        PageReader(Output.Rows rows, long limit) {
            this.rows = rows;
            this.limit = limit;
        }

        long count() {
            return count;
        }

        String next() {
            return next;
        }

        void read(InputStream body) throws IOException {
            try {
                readObject(new JsonInput(body));
            } catch (IllegalStateException e) {
                throw new JsonParseException(e);
            }
        }

        private void readObject(JsonInput in) throws IOException {
            in.reader().beginObject();
            while (in.reader().hasNext()) {
                String name = in.reader().nextName();
                if (name.equals("items")) {
                    readItems(in);
                } else {
                    JsonElement value = in.value();
                    if (name.equals("index")) {
                        rows.index(value);
                    } else if (name.equals("next") && value.isJsonPrimitive()) {
                        next = value.getAsString();
                    }
                }
            }
            in.reader().endObject();
        }

        private void readItems(JsonInput in) throws IOException {
            List<JsonObject> group = new ArrayList<>();
            in.reader().beginArray();
            while (in.reader().peek() != JsonToken.END_ARRAY) {
                if (!(in.value() instanceof JsonObject item)) {
                    throw new JsonParseException("an item is not an object");
                }
                if (count < limit) {
                    group.add(item);
                    count++;
                }
                if (group.size() == GROUP) {
                    rows.add(group);
                    group.clear();
                }
            }
            in.reader().endArray();
            rows.add(group);
        }
    }
}
