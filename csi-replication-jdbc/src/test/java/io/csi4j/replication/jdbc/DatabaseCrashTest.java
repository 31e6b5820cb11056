package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.postgres.PostgresServer;
import io.csi4j.replication.jdbc.TestServers.Server;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** PostgreSQL is killed, or stands still, while three servers write. */
@Timeout(60)
class DatabaseCrashTest {
    private static final int AT_ONCE = 8;

    private final Set<String> answered = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean ended = new AtomicBoolean();
    private PostgresServer postgres;
    private TestServers servers;

    @BeforeEach
    void start() throws Exception {
        postgres = PostgresServer.start();
        servers = TestServers.in(postgres);
        servers.startAll("a", "b", "c");
    }

    @AfterEach
    void stop() {
        ended.set(true);
        servers.close();
        postgres.close();
        servers.times.assertOneAfterTheOther();
    }

    /** Submits commands all the time. A command that fails is not submitted again. */
    private CompletableFuture<Void> load(Server server) {
        Semaphore free = new Semaphore(AT_ONCE);
        return CompletableFuture.runAsync(() -> {
            for (int i = 0; !ended.get(); i++) {
                free.acquireUninterruptibly();
                String name = server.name + "-" + i;
                var unused = server.submit(name).whenComplete((outcome, failure) -> {
                    if (failure == null && outcome.accepted()) {
                        answered.add(name);
                    }
                    free.release();
                });
            }
            free.acquireUninterruptibly(AT_ONCE);
        });
    }

    private void awaitMoreAnswers() {
        int before = answered.size();
        await("more answers", () -> answered.size() > before + 50);
    }

    private void assertNothingIsLost(List<CompletableFuture<Void>> loads) {
        ended.set(true);
        loads.forEach(CompletableFuture::join);
        servers.leader();
        List<String> logged = servers.logged();
        assertThat(logged).doesNotHaveDuplicates();
        assertThat(new HashSet<>(logged).containsAll(answered))
                .as("each answered command is in the log")
                .isTrue();
        servers.assertEqualStates();
    }

    private List<CompletableFuture<Void>> loadAll() {
        List<CompletableFuture<Void>> loads = new ArrayList<>();
        servers.open().forEach(server -> loads.add(load(server)));
        awaitMoreAnswers();
        return loads;
    }

    @Test
    void nothingAnsweredIsLostWhenDatabaseIsKilled() {
        List<CompletableFuture<Void>> loads = loadAll();
        for (int i = 0; i < 3; i++) {
            postgres.kill();
            postgres.restart();
            awaitMoreAnswers();
        }
        assertNothingIsLost(loads);
    }

    @Test
    void noServerLeadsWhileDatabaseStandsStillForLongerThanLease() {
        List<CompletableFuture<Void>> loads = loadAll();
        servers.leader();
        postgres.pause();
        await("no server leads", () -> servers.open().stream().noneMatch(Server::leads));
        long paused = System.nanoTime();
        await(
                "a lease has passed",
                () -> System.nanoTime() - paused > Logs.FAST.lease().toNanos());
        assertThat(servers.open()).noneMatch(Server::leads);
        assertThat(servers.open())
                .as("servers that name themselves as the leader")
                .noneMatch(server -> server.log.status().leader().equals(Optional.of(server.name)));
        postgres.resume();
        awaitMoreAnswers();
        assertNothingIsLost(loads);
    }
}
