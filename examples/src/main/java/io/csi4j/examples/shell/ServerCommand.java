package io.csi4j.examples.shell;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.examples.scheduler.LineClient;
import io.csi4j.examples.scheduler.LineSocket;
import io.csi4j.shell.Csi;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command of the scheduler that asks the leading server: prints progress on standard error, and the answer as tables or as JSON on standard output. */
abstract class ServerCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--json", description = "print one JSON value for programs")
    private boolean json;

    private final Path directory;

    /** @param directory the directory with the sockets of the servers, or one socket */
    ServerCommand(Path directory) {
        this.directory = directory;
    }

    /** Returns the name of the request. */
    abstract String op();

    /** Returns the arguments of the request. */
    Map<String, String> arguments() {
        return Map.of();
    }

    @Override
    public final Integer call() throws IOException {
        List<Path> sockets = sockets();
        JsonObject request = new JsonObject();
        arguments().forEach(request::addProperty);
        try {
            JsonElement answer = new LineClient(sockets, PATIENCE).ask(op(), request, this::printError);
            if (json) {
                spec.commandLine()
                        .getOut()
                        .println(new GsonBuilder().setPrettyPrinting().create().toJson(answer));
            }
            int code = show(answer);
            spec.commandLine().getOut().flush();
            return code;
        } catch (LineClient.FailedException e) {
            printError("csi: " + e.getMessage());
            return e.code().equals(LineSocket.USAGE) ? CommandLine.ExitCode.USAGE : Csi.FAILED;
        } catch (LineClient.UnreachableException e) {
            printError("csi: " + e.getMessage());
            return Csi.UNREACHABLE;
        }
    }

    /** Prints an answer, and returns the exit code. */
    int show(JsonElement answer) {
        printTable(answer);
        return CommandLine.ExitCode.OK;
    }

    /** Prints a part of an answer as a table, unless the caller wants JSON, which is printed already. */
    final void printTable(JsonElement part) {
        if (!json) {
            spec.commandLine().getOut().print(TextTable.of(part));
        }
    }

    /** Prints the strings of an answer, unless the caller wants JSON, which is printed already. */
    final void printLines(JsonElement strings) {
        if (!json) {
            strings.getAsJsonArray().forEach(line -> spec.commandLine().getOut().println(line.getAsString()));
        }
    }

    final void printError(String line) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    /** Returns the sockets of the servers that may answer. */
    List<Path> sockets() throws IOException {
        if (!Files.isDirectory(directory)) {
            return Files.exists(directory) ? List.of(directory) : List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }
}
