package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.LogCommit;
import io.csi4j.core.state.StateReader;
import io.csi4j.postgres.CutProxy;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Commands wait when a transaction has committed, so its entries are applied while the next transaction is written. In each
 * test, the second command is submitted right after the commit of the first one, before its entry is applied.
 */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class AppliedMeanwhileTest {
    private static final String APPEND = "with moved";
    /** Longer than the tests hold statements. */
    private static final JdbcLogOptions PATIENT = JdbcLogOptions.builder()
            .lease(Duration.ofSeconds(20))
            .submitTimeout(Duration.ofSeconds(40))
            .statementTimeout(Duration.ofSeconds(40))
            .build();

    private TestServers servers;
    private Server server;

    @BeforeEach
    void open(TestSchema schema) throws Exception {
        servers = TestServers.in(schema, log -> log.options(PATIENT));
        server = servers.start("a");
        await("the server leads", server::leads);
    }

    @AfterEach
    void close() {
        servers.close();
    }

    /** Does something once, on the log thread, when the server has committed the next command and has not applied it. */
    private <T> CompletableFuture<T> afterCommit(Supplier<CompletableFuture<T>> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        AtomicBoolean done = new AtomicBoolean();
        Runnable unused = server.log.onCommit(commit -> {
            if (commit.result() == LogCommit.Result.COMMITTED && done.compareAndSet(false, true)) {
                var ignored = action.get().whenComplete((value, failure) -> {
                    if (failure == null) {
                        result.complete(value);
                    } else {
                        result.completeExceptionally(failure);
                    }
                });
            }
        });
        return result;
    }

    private void assertAccepted(CompletableFuture<Outcome> answer) {
        assertThat(answer).succeedsWithin(20, TimeUnit.SECONDS).matches(Outcome::accepted);
    }

    /** A server that reads all entries from the log has the same state. */
    private void assertLogged(String... nodes) throws Exception {
        assertThat(servers.logged()).containsExactly(nodes);
        servers.start("reader");
        servers.assertEqualStates();
    }

    @Test
    void commandHasItsOutcomeWhileDatabaseDoesNotAnswerNextOne() throws Exception {
        CompletableFuture<CutProxy.Hold> planned = new CompletableFuture<>();
        CompletableFuture<Outcome> second = afterCommit(() -> {
            planned.complete(server.network.holdBefore(APPEND));
            return server.submit("second");
        });

        assertAccepted(server.submit("first"));

        CutProxy.Hold hold = planned.join();
        assertThat(hold.reached()).succeedsWithin(20, TimeUnit.SECONDS);
        assertThat(second).isNotDone();
        hold.release();
        assertAccepted(second);
        assertLogged("first", "second");
    }

    @Test
    void nextCommandIsCommittedWhileEntriesAreApplied() throws Exception {
        CompletableFuture<Outcome> second = afterCommit(() -> server.submit("second"));
        CutProxy.Hold hold = server.network.holdBefore(APPEND);
        CompletableFuture<Void> applied = server.submit("first").thenRun(() -> {
            await("the next command is in the log", () -> servers.logged().contains("second"));
            assertThat(second).isNotDone();
        });
        hold.release();

        assertThat(applied).succeedsWithin(40, TimeUnit.SECONDS);
        assertAccepted(second);
        assertLogged("first", "second");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nextCommandIsInLogOnceAfterItsConnectionBroke(boolean executed) throws Exception {
        CompletableFuture<Void> broken = new CompletableFuture<>();
        CompletableFuture<Outcome> second = afterCommit(() -> {
            CompletableFuture<Void> cut =
                    executed ? server.network.cutAnswerOf(APPEND) : server.network.cutBefore(APPEND);
            var unused = cut.thenRun(() -> broken.complete(null));
            return server.submit("second");
        });

        assertAccepted(server.submit("first"));

        assertThat(broken).succeedsWithin(20, TimeUnit.SECONDS);
        assertAccepted(second);
        assertLogged("first", "second");
    }

    @Test
    void commandOfAnotherServerBetweenBothIsAppliedBetweenThem() throws Exception {
        Server other = servers.start("b");
        CompletableFuture<CutProxy.Hold> planned = new CompletableFuture<>();
        CompletableFuture<Outcome> second = afterCommit(() -> {
            planned.complete(server.network.holdBefore(APPEND));
            return server.submit("second");
        });
        assertAccepted(server.submit("first"));
        assertThat(planned.join().reached()).succeedsWithin(20, TimeUnit.SECONDS);

        assertAccepted(other.submit("between"));
        planned.join().release();

        assertAccepted(second);
        assertLogged("first", "between", "second");
    }

    @Test
    void eachReadSeesCommandsThatWereCommittedBefore() throws Exception {
        List<String> submitted = new CopyOnWriteArrayList<>(List.of("0"));
        List<CompletableFuture<StateReader>> reads = new CopyOnWriteArrayList<>();
        Runnable unused = server.log.onCommit(commit -> {
            String next = "" + submitted.size();
            if (submitted.size() < 10) {
                submitted.add(next);
                var ignored = server.submit(next);
                reads.add(server.log.readLinearizable());
            }
        });

        assertAccepted(server.submit("0"));

        await("all are submitted", () -> reads.size() == 9);
        for (int i = 0; i < 9; i++) {
            NodeId committed = NodeId.of("" + i);
            assertThat(reads.get(i))
                    .succeedsWithin(20, TimeUnit.SECONDS)
                    .matches(state -> state.node(committed).isPresent());
        }
        await("the last one is applied", () -> server.has("9"));
        assertLogged(submitted.toArray(String[]::new));
    }

    @Test
    void commandHasItsOutcomeBeforeThoseOfHostAreRead() throws Exception {
        CompletableFuture<Outcome> second = afterCommit(() -> server.submit("second"));
        CutProxy.Hold append = server.network.holdBefore(APPEND);
        CompletableFuture<Outcome> first = server.submit("first");
        assertThat(append.reached()).succeedsWithin(20, TimeUnit.SECONDS);
        try (Connection connection = servers.connect()) {
            HostTransactions.createTable(connection);
            HostTransactions.commit(
                    server.log, connection, (host, transaction) -> HostTransactions.place(host, transaction, "placed"));
        }
        // The server learns of the command by the first renewal after the commit, and has noted it before the next one.
        long renewals = renewals();
        await("the server knows of the command", () -> renewals() >= renewals + 2);
        CutProxy.Hold read = server.network.holdBefore("select id, subject");
        append.release();

        assertThat(read.reached()).succeedsWithin(20, TimeUnit.SECONDS);
        assertAccepted(first);
        assertThat(second).isNotDone();

        read.release();
        assertAccepted(second);
        assertThat(server.log.readRecorded()).succeedsWithin(20, TimeUnit.SECONDS);
        assertThat(HostTransactions.logged(servers)).containsExactly("placed");
        assertLogged("first", "second");
    }

    private long renewals() {
        return Long.parseLong(servers.query("SELECT renewals FROM csi4j_lease"));
    }
}
