package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.spi.LogFailedException;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.internal.db.Entry;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows of the log are damaged, or of a later version. */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class DamagedLogTest {
    private static final String REMEDY = "Stop all servers, and restore all tables of the log from one backup";

    private TestServers servers;
    private Server running;

    @BeforeEach
    void fill(TestSchema schema) throws IOException {
        servers = TestServers.in(schema);
        running = servers.start("running");
        running.submitAll("n-", 6);
    }

    @AfterEach
    void close() {
        servers.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    UPDATE csi4j_log SET content = set_byte(content, 3, 99) WHERE idx = 3 | its entry with index 3 was changed
                    UPDATE csi4j_log SET content = '' WHERE idx = 1                 | its entry with index 1 was changed
                    UPDATE csi4j_log SET number = 77 WHERE idx = 3                  | its entry with index 3 was changed
                    DELETE FROM csi4j_log WHERE idx = 3                             | after the entry with index 2 comes one with index 4
                    DELETE FROM csi4j_log WHERE idx = 6                             | it has no entry with index 6, and its last index is 6
                    TRUNCATE csi4j_log                                              | it has no entry with index 1, and its last index is 6
                    """)
    void serverRefusesToStartOnDamagedEntries(String damage, String reason) {
        servers.execute(damage);

        assertThatThrownBy(() -> servers.start("next"))
                .isInstanceOf(LogFailedException.class)
                .hasMessageContainingAll("The log in csi4j_* of the database is damaged: " + reason, REMEDY);
    }

    private void assertStopped(String... parts) {
        assertThat(running.log.failed())
                .succeedsWithin(20, TimeUnit.SECONDS)
                .satisfies(failure -> assertThat(failure).hasMessageContainingAll(parts));
        assertThat(running.log.status().appliedIndex()).isEqualTo(6);
        assertThat(running.log.state().snapshot().index()).isEqualTo(6);
        await("the server leads no more", () -> !running.leads());
    }

    /** Appends an entry as a server does, which has another content in the table. */
    private void append(String content, String stored) {
        String chain = servers.query("SELECT encode(chain, 'hex') FROM csi4j_head");
        Entry entry = Entry.after(
                HexFormat.of().parseHex(chain), 7, 0, 1, 1, HexFormat.of().parseHex(content));
        String after = HexFormat.of().formatHex(entry.chain());
        servers.execute(
                "BEGIN",
                "INSERT INTO csi4j_log VALUES (7, 0, 1, 1, '\\x" + stored + "', '\\x" + after + "')",
                "UPDATE csi4j_head SET last_index = 7, chain = '\\x" + after + "'",
                "COMMIT");
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.equals("csi4j-log") || name.equals("csi4j-log-lease"))
                .toList();
    }

    @Test
    void entryOfLaterVersionStopsServers() throws Exception {
        append("ffffffff00", "ffffffff00");

        assertStopped(
                "The entry with index 7 of the log in csi4j_* of the database cannot be applied",
                "nothing after this entry was applied",
                "newest version");
        assertThatThrownBy(() -> servers.start("next"))
                .isInstanceOf(LogFailedException.class)
                .hasMessageContaining("The entry with index 7");
        // The server that has stopped does not renew the lease, so that another server can take it.
        await("the threads of the log have ended", () -> threads().isEmpty());
    }

    @Test
    void changedNewEntryStopsRunningServer() {
        append("00", "01");

        assertStopped("is damaged: its entry with index 7 was changed", REMEDY);
    }

    @Test
    void headThatWasSetBackStopsRunningServer() {
        servers.execute("UPDATE csi4j_head SET last_index = 5, chain = (SELECT chain FROM csi4j_log WHERE idx = 5)");
        assertStopped("index 6", "(its last index is 5)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    UPDATE csi4j_snapshot_chunk SET content = set_byte(content, 9, 99) | its 1 parts are not those that were written
                    DELETE FROM csi4j_snapshot_chunk                                   | its 0 parts are not those that were written
                    """)
    void damagedSnapshotIsRefused(String damage, String reason) {
        assertThat(running.log.takeSnapshot()).succeedsWithin(20, TimeUnit.SECONDS);
        servers.execute(damage, "UPDATE csi4j_head SET first_index = 7", "DELETE FROM csi4j_log");

        assertThatThrownBy(() -> servers.start("next"))
                .isInstanceOf(LogFailedException.class)
                .hasMessageContainingAll(
                        "The snapshot at index 6 of the log in csi4j_* of the database cannot be read: " + reason,
                        "Nothing was restored",
                        "restore all tables of the log from one backup");
    }

    @Test
    void logWithoutSnapshotOfItsBeginningIsRefused() {
        servers.execute("UPDATE csi4j_head SET first_index = 4", "DELETE FROM csi4j_log WHERE idx < 4");

        assertThatThrownBy(() -> servers.start("next"))
                .isInstanceOf(LogFailedException.class)
                .hasMessageContainingAll("it begins after index 1, and has no snapshot of then", REMEDY);
    }
}
