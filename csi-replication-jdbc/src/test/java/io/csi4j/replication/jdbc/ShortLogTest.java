package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.UnansweredCommandException;
import io.csi4j.postgres.CutProxy;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Snapshots are frequent, and the log reaches back for a few entries only. */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class ShortLogTest {
    private static final int INTERVAL = 4;

    /** The lease is long: a server that loses it on a busy machine writes no snapshot. */
    private static final JdbcLogOptions FEW_ENTRIES = JdbcLogOptions.builder()
            .lease(Duration.ofSeconds(20))
            .statementTimeout(Duration.ofSeconds(5))
            .snapshotInterval(INTERVAL)
            .build();

    private TestServers servers;

    @BeforeEach
    void open(TestSchema schema) {
        servers = TestServers.in(schema, log -> log.options(FEW_ENTRIES));
    }

    @AfterEach
    void close() {
        servers.close();
    }

    private static void takeSnapshot(Server server) {
        assertThat(server.log.takeSnapshot().orTimeout(20, TimeUnit.SECONDS).join())
                .isPositive();
    }

    private long rows() {
        return Long.parseLong(servers.query("SELECT count(*) FROM csi4j_log"));
    }

    @Test
    void logHasEntriesOfTwoIntervalsAtMost() throws Exception {
        Server server = servers.start("alone");
        await("the server leads", server::leads);
        for (int i = 0; i < 5; i++) {
            server.submitAll("n" + i + "-", INTERVAL);
            int round = i;
            await("a snapshot of the new entries", () -> server.log.status().snapshotIndex() > (long) round * INTERVAL);
        }
        await("the log is short", () -> rows() <= 2 * INTERVAL);
        assertThat(servers.query("SELECT count(*) FROM csi4j_snapshot")).isEqualTo("1");
        assertThat(servers.query("SELECT count(DISTINCT idx) FROM csi4j_snapshot_chunk"))
                .isEqualTo("1");
    }

    @Test
    void snapshotThatCannotBeWrittenFailsWithTheReason() throws Exception {
        Server server = servers.start("alone");
        server.submitAll("n", 5);
        servers.execute("ALTER TABLE csi4j_snapshot_chunk RENAME TO away");
        assertThat(server.log.takeSnapshot())
                .failsWithin(20, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(CsiException.class)
                .withMessageContaining("the snapshot of the log at index ")
                .withMessageContaining("csi4j_snapshot_chunk");
        servers.execute("ALTER TABLE away RENAME TO csi4j_snapshot_chunk");
        takeSnapshot(server);
    }

    @Test
    void serverThatWasAwayBeginsWithSnapshot() throws Exception {
        Server stays = servers.start("stays");
        Server goes = servers.start("goes");
        goes.submitAll("before-", 2);
        servers.close(goes);
        stays.submitAll("later-", 20);
        takeSnapshot(stays);
        assertThat(servers.logged()).doesNotContain("before-0");

        Server back = servers.start("goes");

        assertThat(back.has("before-0") && back.has("later-19")).isTrue();
        back.submitAll("back-", 2);
        servers.assertEqualStates();
    }

    @Test
    void serversThatWriteSameSnapshotAtSameTimeBothSucceed() throws Exception {
        List<Server> both = servers.startAll("a", "b");
        for (int i = 0; i < 5; i++) {
            both.get(0).submitAll("n" + i + "-", 1);
            both.get(1).log.readLinearizable().join();
            CutProxy.Hold hold = both.get(0).network.holdBefore("insert into csi4j_snapshot (");
            CompletableFuture<Long> first = both.get(0).log.takeSnapshot();
            assertThat(hold.reached()).succeedsWithin(20, TimeUnit.SECONDS);
            CompletableFuture<Long> second = both.get(1).log.takeSnapshot();
            await(
                    "the second server waits for the first one",
                    () -> !servers.query(
                                    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO csi4j_snapshot_chunk%'")
                            .isEmpty());
            hold.release();
            assertThat(first).succeedsWithin(20, TimeUnit.SECONDS);
            assertThat(second).succeedsWithin(20, TimeUnit.SECONDS).isEqualTo(first.join());
        }
    }

    /** A reader has read that the log begins at 1, and then another server removes the first entries. */
    @Test
    void entriesAreRemovedWhileOtherServerReadsThem() throws Exception {
        Server reader = servers.start("reader");
        Server writer = servers.start("writer");
        CutProxy.Hold hold = reader.network.holdBefore("select idx, term");
        writer.submitAll("first-", 1);
        assertThat(hold.reached()).succeedsWithin(20, TimeUnit.SECONDS);

        writer.submitAll("later-", 20);
        takeSnapshot(writer);
        assertThat(servers.logged()).doesNotContain("first-0", "later-0");
        hold.release();

        reader.submitAll("after-", 2);
        assertThat(reader.log.failed()).isNotDone();
        servers.assertEqualStates();
    }

    /** A reader has found a snapshot, and then another server replaces it by a newer one. */
    @Test
    void snapshotIsReplacedWhileOtherServerReadsIt() throws Exception {
        Server writer = servers.start("writer");
        writer.submitAll("first-", 20);
        takeSnapshot(writer);
        Server reader = servers.start("reader");
        CompletableFuture<Void> ended = reader.network.endWithAnswerOf("select h.last_index", "");
        assertThat(ended).succeedsWithin(20, TimeUnit.SECONDS);
        writer.submitAll("second-", 20);
        takeSnapshot(writer);
        CutProxy.Hold hold = reader.network.holdBefore("select content");
        reader.network.refuse(false);
        assertThat(hold.reached()).succeedsWithin(20, TimeUnit.SECONDS);

        writer.submitAll("third-", 1);
        takeSnapshot(writer);
        hold.release();

        reader.submitAll("after-", 2);
        assertThat(reader.log.failed()).isNotDone();
        servers.assertEqualStates();
    }

    /** The server cannot find out whether the snapshot has its command. */
    @Test
    void commandWithLostAnswerIsNotRepeatedAfterLogHasOnlySnapshotOfIt() throws Exception {
        Server away = servers.start("away");
        Server other = servers.start("other");
        CompletableFuture<Void> ended = away.network.endWithAnswerOf("with moved", "");
        CompletableFuture<Outcome> answer = away.submit("lost");
        assertThat(ended).succeedsWithin(20, TimeUnit.SECONDS);
        other.submitAll("later-", 20);
        takeSnapshot(other);
        assertThat(other.has("lost")).isTrue();
        assertThat(servers.logged()).doesNotContain("lost");

        away.network.refuse(false);

        assertThat(catchThrowable(answer::join))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(UnansweredCommandException.class)
                .hasMessageContaining("the command may have been applied");
        away.submitAll("back-", 2);
        assertThat(away.has("lost")).isTrue();
        assertThat(servers.logged()).doesNotContain("lost").contains("back-0", "back-1");
        servers.assertEqualStates();
    }
}
