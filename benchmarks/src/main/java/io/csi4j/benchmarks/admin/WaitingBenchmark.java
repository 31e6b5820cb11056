package io.csi4j.benchmarks.admin;

import io.csi4j.admin.AdminServer;
import io.csi4j.admin.access.TokenAuthenticator;
import io.csi4j.benchmarks.engine.EngineRig;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.id.PluginId;
import java.net.URI;
import java.time.Clock;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Requests that wait, each with a token, from another process, so that this process has the server's part only. */
final class WaitingBenchmark {
    private final EngineRig rig;
    private final PluginId plugin;
    /** The checks of tokens; a request has its last one when it is served. */
    private final AtomicInteger checks = new AtomicInteger();
    /** The memory without clients. */
    private final long empty = Memory.settled();

    WaitingBenchmark(EngineRig rig, PluginId plugin) {
        this.rig = rig;
        this.plugin = plugin;
    }

    /**
     * Clients of a server.
     *
     * @param path the path that they ask for, with the number of the client in place of #
     */
    private record Clients(URI server, String token, int number, String path) {}

    /** A change that wakes all requests, which shows that all of them were waiting. */
    private interface Change {
        void run() throws Exception;
    }

    /** Measures clients that wait for one list, and clients of which each waits for the status of another volume. */
    void run(int clients, int volumes) throws Exception {
        String token = rig.lifecycle
                .accessTokens()
                .create(AccessTokenRequest.management("benchmark"))
                .join()
                .secret()
                .text();
        TokenAuthenticator tokens = TokenAuthenticator.of(rig.store, Clock.systemUTC());
        try (AdminServer server = AdminServer.builder(rig.lifecycle)
                .authenticator(secret -> {
                    checks.incrementAndGet();
                    return tokens.authenticate(secret);
                })
                .start()) {
            Clients list = new Clients(server.uri(), token, clients, "/v1/volumes?limit=1");
            waiting(list, "for one list", () -> rig.volumes(PluginId.of("other"), 1));
            Clients each = new Clients(
                    server.uri(),
                    token,
                    Math.min(clients, volumes),
                    "/v1/volumes/" + EngineRig.key(plugin, 0).namespace().value() + "/" + plugin + "-#?");
            waiting(
                    each,
                    "each for the status of its volume",
                    () -> rig.lifecycle
                            .cluster()
                            .nodeDown(EngineRig.node(99), "the benchmark wakes all")
                            .join());
        }
    }

    private void waiting(Clients clients, String kind, Change change) throws Exception {
        try (WaitingClients open = WaitingClients.start(clients.server, clients.token, clients.number)) {
            // The first request on a connection makes what stays there, so that the wait is measured alone.
            open.send("/health");
            open.readAnswers();
            int threads = Thread.activeCount();
            long idle = Memory.settled();
            int before = checks.get();
            open.send(clients.path + "&wait=600&index=" + rig.store.snapshot().index());
            // One check comes before a body is read, and one when the request is served.
            while (checks.get() - before < 2 * clients.number) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
            long waiting = Memory.settled();
            int more = Thread.activeCount() - threads;
            long begin = System.nanoTime();
            change.run();
            open.readAnswers();
            System.out.printf(
                    Locale.ROOT,
                    "%d requests wait %s: %d bytes each (at most 2048), beside %d bytes of its connection, %d more"
                            + " threads; all answered %.0f ms after the change%n",
                    clients.number,
                    kind,
                    (waiting - idle) / clients.number,
                    (idle - empty) / clients.number,
                    more,
                    (System.nanoTime() - begin) / 1e6);
        }
    }
}
