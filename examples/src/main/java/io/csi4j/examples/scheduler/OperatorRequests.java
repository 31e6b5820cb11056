package io.csi4j.examples.scheduler;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The requests of operators during a chaos run, and how often each action was taken. Thread-safe. */
final class OperatorRequests {
    private static final long LAST_SECONDS = 120;

    private final LineClient operator;
    private final Map<String, Integer> counts = new ConcurrentSkipListMap<>();
    /** Runs requests in the background, because a request may wait long for a plugin or a leader. */
    private final ExecutorService background = Executors.newFixedThreadPool(4);

    OperatorRequests(ClusterLayout layout) {
        this.operator = new LineClient(layout.adminSockets(), Duration.ofSeconds(60));
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

    /** Sends a request. If it fails, counts the failure and returns JSON null. */
    JsonElement ask(String op, Map<String, String> arguments) {
        JsonObject request = new JsonObject();
        arguments.forEach(request::addProperty);
        try {
            return operator.ask(op, request, line -> {});
        } catch (IOException e) {
            count(op + " failed");
            System.out.println("chaos: " + op + ": " + e.getMessage());
            return JsonNull.INSTANCE;
        }
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
