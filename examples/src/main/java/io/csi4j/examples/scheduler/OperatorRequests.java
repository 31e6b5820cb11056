package io.csi4j.examples.scheduler;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.csi4j.core.id.NodeId;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The requests of operators during a chaos run, and how often each action was taken. Thread-safe. */
final class OperatorRequests {
    private static final long LAST_SECONDS = 120;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final LineClient leader;
    private final OperatorShell shell;
    private final Map<String, Integer> counts = new ConcurrentSkipListMap<>();
    /** Runs requests in the background, because a request may wait long for a plugin or a leader. */
    private final ExecutorService background = Executors.newFixedThreadPool(4);

    OperatorRequests(ClusterLayout layout) {
        this.leader = new LineClient(layout.adminSockets(), PATIENCE);
        this.shell = new OperatorShell(layout, PATIENCE);
    }

    Map<String, Integer> counts() {
        return counts;
    }

    void count(String name) {
        counts.merge(name, 1, Integer::sum);
    }

    /** Runs requests in the background. */
    void later(Runnable requests) {
        background.execute(requests);
    }

    /**
     * Runs a command of the shell. If it fails, counts the failure and returns JSON null.
     *
     * @param name the words of the command, under which a failure is counted
     */
    JsonElement run(String name, String... arguments) {
        return counted(
                name,
                () -> shell.run(Stream.concat(Arrays.stream(name.split(" ", -1)), Arrays.stream(arguments))
                        .toArray(String[]::new)));
    }

    /** Sends a request about a node that only this scheduler has. */
    JsonElement ask(String op, NodeId node) {
        JsonObject request = new JsonObject();
        request.addProperty("node", node.value());
        return counted(op, () -> leader.ask(op, request, line -> {}));
    }

    private JsonElement counted(String name, Request request) {
        try {
            return request.send();
        } catch (IOException e) {
            count(name + " failed");
            System.out.println("chaos: " + name + ": " + e.getMessage());
            return JsonNull.INSTANCE;
        }
    }

    /** A request and its answer. */
    @FunctionalInterface
    private interface Request {
        JsonElement send() throws IOException;
    }

    /** Waits for the requests in the background. */
    void end() throws IOException {
        background.shutdown();
        try {
            if (!background.awaitTermination(LAST_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("a request of an operator has no answer after " + LAST_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
