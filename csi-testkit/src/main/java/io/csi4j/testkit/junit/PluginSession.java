package io.csi4j.testkit.junit;

import io.csi4j.client.CallDeadlines;
import io.csi4j.client.CsiClient;
import io.csi4j.client.Endpoint;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.testkit.FakeCsiPlugin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The plugin of one test or class, with its client, its socket and the captured log. Thread-safe. */
final class PluginSession {
    /** A plugin in this process answers at once, so a call that a fault leaves without an answer ends within seconds. */
    private static final CallDeadlines DEADLINES = CallDeadlines.ofDefaults().withAll(Duration.ofSeconds(10));

    private static final RetryOptions RETRIES =
            RetryOptions.builder().attemptShare(0.2).build();

    private final FakeCsiPlugin plugin;
    private final Set<StrictCheck> checks;
    private final LogCapture logs;
    private @Nullable CsiClient client;
    private @Nullable Path directory;
    private @Nullable Path socket;

    PluginSession(FakeCsiPlugin plugin, Set<StrictCheck> checks) {
        this.plugin = plugin;
        this.checks = checks;
        this.logs = LogCapture.begin(checks.contains(StrictCheck.SECRETS_IN_LOGS));
        plugin.startInProcess();
    }

    FakeCsiPlugin plugin() {
        return plugin;
    }

    synchronized CsiClient client() {
        CsiClient made = client;
        if (made == null) {
            made = CsiClient.builder(Endpoint.parse(plugin.inProcessEndpoint()))
                    .deadlines(DEADLINES)
                    .retries(RETRIES)
                    .build();
            client = made;
        }
        return made;
    }

    synchronized Path socket() {
        Path made = socket;
        if (made == null) {
            try {
                directory = Files.createTempDirectory("csi4j");
                made = directory.toRealPath().resolve("p.sock");
            } catch (IOException e) {
                throw new UncheckedIOException("cannot create a directory for the socket: " + e, e);
            }
            plugin.startOn("unix://" + made);
            socket = made;
        }
        return made;
    }

    String table() {
        return plugin.history().toTable();
    }

    /**
     * Closes the client and the plugin, and ends the capture of the log.
     *
     * @param checked whether to make the strict checks before the plugin is closed
     * @throws AssertionError if a check fails; the message has all problems
     */
    synchronized void close(boolean checked) {
        try {
            if (client != null) {
                client.close();
            }
            if (checked) {
                StrictChecks.require(plugin, checks, logs);
            }
        } finally {
            logs.end();
            plugin.close();
            removeDirectory();
        }
    }

    private void removeDirectory() {
        if (directory == null) {
            return;
        }
        try {
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("the directory of the socket cannot be removed: " + e, e);
        }
    }
}
