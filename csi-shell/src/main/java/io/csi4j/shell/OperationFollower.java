package io.csi4j.shell;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * Sends a request that acts, and follows its operation to the end. If the server of the operation goes away, the request is
 * sent again with the same key: where the operation is still known, it is the same one; elsewhere the engine finishes what
 * it finds.
 */
final class OperationFollower {
    private static final Pattern LOCATION = Pattern.compile("/v1/operations/([A-Za-z0-9_-]{1,100})");
    private static final int ATTEMPTS = 5;
    private static final Duration BETWEEN_STREAMS = Duration.ofMillis(300);

    private final ApiCommand command;
    private final Servers servers;
    private final Output output;
    private final ShellContext context;

    OperationFollower(ApiCommand command, Servers servers, Output output, ShellContext context) {
        this.command = command;
        this.servers = servers;
        this.output = output;
        this.context = context;
    }

    int run(HttpRequest request, boolean noWait) throws FailedException, IOException {
        IOException lost = new IOException("the operation cannot be followed");
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            JsonObject operation;
            String path;
            Address address;
            try (Servers.Answer answer = servers.send(request)) {
                JsonElement value = JsonInput.one(answer.reply());
                Matcher location =
                        LOCATION.matcher(answer.reply().header("location").orElse(""));
                if (answer.reply().status() != 202) {
                    print(value, command.shape());
                    return doneCode(value);
                }
                if (!location.matches() || !(value instanceof JsonObject started)) {
                    throw new FailedException(
                            Csi.FAILED, "an operation runs, but the server does not say which; see csi operation list");
                }
                if (noWait) {
                    output.object(List.of(), value);
                    return CommandLine.ExitCode.OK;
                }
                path = location.group();
                address = answer.address();
                operation = started;
            }
            try {
                return follow(path, address, operation);
            } catch (IOException e) {
                lost = e;
            } catch (FailedException e) {
                if (!e.isLoss()) {
                    throw e;
                }
                lost = new IOException(e.getMessage(), e);
            }
            context.terminal().note("csi: " + address + " is gone, or has forgotten the operation; asking again");
        }
        throw lost;
    }

    private int follow(String path, Address address, JsonObject started) throws FailedException, IOException {
        String id = path.substring(path.lastIndexOf('/') + 1);
        String title = "csi " + command.name() + ": ";
        Closeable hook = context.onInterrupt()
                .apply(() -> context.terminal()
                        .note("\nThe operation continues. To watch it: csi operation watch " + id
                                + "   To cancel it: csi operation cancel " + id));
        try (hook) {
            output.progress(title + Output.line(started), false);
            while (true) {
                HttpRequest events = new HttpRequest(
                        "GET",
                        path + "/events",
                        "",
                        "text/event-stream, application/problem+json",
                        Optional.empty(),
                        EventStream.SILENCE);
                try (Servers.Answer answer = servers.at(address).send(events)) {
                    var unused = new EventStream(answer.reply().body())
                            .read(event -> output.progress(title + Output.line(event), false));
                }
                try (Servers.Answer answer = servers.at(address).send(HttpRequest.get(path, HttpRequest.SILENCE))) {
                    if (JsonInput.one(answer.reply()) instanceof JsonObject operation
                            && !state(operation).equals("RUNNING")) {
                        output.progress(title + state(operation), true);
                        return ended(operation);
                    }
                }
                context.pause().pause(BETWEEN_STREAMS);
            }
        }
    }

    private static String state(JsonObject operation) {
        JsonElement state = operation.get("state");
        return state != null && state.isJsonPrimitive() ? Text.safe(state.getAsString()) : "";
    }

    /** Returns the exit code of a watched operation after its last event. */
    static int exitCode(JsonObject last) {
        return state(last).equals("FAILED") || state(last).equals("CANCELLED") ? Csi.FAILED : CommandLine.ExitCode.OK;
    }

    /** Prints the result of an operation, or its failure. */
    private int ended(JsonObject operation) throws FailedException {
        if (operation.get("problem") instanceof JsonObject problem) {
            throw new FailedException(Csi.FAILED, new Problem(problem).message());
        }
        JsonElement result = operation.get("result");
        print(result == null ? new JsonObject() : result, command.shape());
        int code = exitCode(operation);
        return code == CommandLine.ExitCode.OK ? doneCode(result) : code;
    }

    /** Returns the exit code of a request without failure: a detach that leaves something has not done its work. */
    private static int doneCode(@Nullable JsonElement result) {
        boolean left = result instanceof JsonObject object
                && object.get("detached") instanceof JsonPrimitive detached
                && detached.isBoolean()
                && !detached.getAsBoolean();
        return left ? Csi.FAILED : CommandLine.ExitCode.OK;
    }

    private void print(JsonElement result, List<ApiField> shape) {
        if (!output.json() && result instanceof JsonObject object && object.isEmpty()) {
            context.terminal().note("done");
        } else {
            output.object(shape, result);
        }
    }
}
