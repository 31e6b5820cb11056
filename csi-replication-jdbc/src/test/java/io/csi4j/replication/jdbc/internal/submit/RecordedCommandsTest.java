package io.csi4j.replication.jdbc.internal.submit;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.replication.jdbc.Warnings;
import io.csi4j.replication.jdbc.internal.db.Database;
import io.csi4j.replication.jdbc.internal.db.Entry;
import io.csi4j.replication.jdbc.internal.db.Recorded;
import io.csi4j.replication.jdbc.internal.db.SubmissionTable;
import io.csi4j.replication.jdbc.internal.schema.Dialect;
import io.csi4j.replication.jdbc.internal.schema.Schema;
import io.csi4j.replication.jdbc.internal.schema.TableNames;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStoreOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(PostgresExtension.class)
class RecordedCommandsTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final CommandCodec CODEC = CommandCodec.of(StateStoreOptions.builder()
            .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
            .build());

    private final VirtualTime time = VirtualTime.inOrder();
    private final Warnings warnings = new Warnings();
    private Connection host;
    private SubmissionTable table;
    private RecordedCommands commands;

    @BeforeEach
    void create(TestSchema schema) throws SQLException {
        host = schema.connect();
        TableNames names = TableNames.ofDefault();
        new Schema(names, "csi4j").create(host);
        Dialect dialect = Dialect.of(host);
        table = new SubmissionTable(names, dialect, LIMIT);
        commands = new RecordedCommands(
                new Database(schema.dataSource(), dialect, LIMIT), table, CODEC, time, time, "csi4j_* of a test");
    }

    @AfterEach
    void close() throws SQLException {
        warnings.close();
        host.close();
    }

    private static byte[] command(String id) {
        return CODEC.encodeCommand(new AllocationCommand.RemoveAllocation(AllocationId.of(id), Instant.EPOCH));
    }

    private void record(byte[] content) throws SQLException {
        table.record(host, "a command", content);
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = host.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<Long> next() throws SQLException {
        return commands.next().stream().map(Recorded::id).toList();
    }

    private void fill(int rows) throws SQLException {
        record(command("web"));
        execute("INSERT INTO csi4j_submission (subject, recorded_at, content) SELECT subject, recorded_at, content"
                + " FROM csi4j_submission, generate_series(2, " + rows + ")");
    }

    @Test
    void partHasLimitedNumberOfCommandsInOrderOfTheirIds() throws SQLException {
        fill(RecordedCommands.MOST_COMMANDS + 1);
        assertThat(next()).hasSize(RecordedCommands.MOST_COMMANDS).isSorted().startsWith(1L, 2L);
        assertThat(commands.more()).isTrue();

        execute("DELETE FROM csi4j_submission WHERE id <= " + RecordedCommands.MOST_COMMANDS);
        assertThat(next()).containsExactly(RecordedCommands.MOST_COMMANDS + 1L);
        assertThat(commands.more()).isFalse();
    }

    /** The first command that exceeds the size is the last one of the part, so that a large one does not block. */
    @Test
    void partHasLimitedSize() throws SQLException {
        for (int i = 0; i < 4; i++) {
            record(command("web"));
            execute("UPDATE csi4j_submission SET content = content || decode(repeat('78', 1500000), 'hex') WHERE id = "
                    + (i + 1));
        }
        try (Statement statement = host.createStatement()) {
            assertThat(statement.executeUpdate("DELETE FROM csi4j_submission WHERE id > 4"))
                    .isZero();
        }
        assertThat(table.recorded(host, 100, 2 << 20)).extracting(Recorded::id).containsExactly(1L, 2L);
        assertThat(table.recorded(host, 100, 1)).extracting(Recorded::id).containsExactly(1L);
    }

    @Test
    void lineAboutUnreadableCommandIsRepeatedEachMinuteAndForAnotherCommandAtOnce() throws SQLException {
        record(command("web"));
        record(new byte[] {1});
        record(new byte[] {2});
        record(command("later"));
        for (int i = 0; i < 3; i++) {
            assertThat(next()).containsExactly(1L);
        }
        assertThat(warnings.lines()).singleElement().asString().contains("with id 2 (a command)", "WHERE id = 2;");
        time.advance(Duration.ofSeconds(61));
        assertThat(next()).containsExactly(1L);
        assertThat(warnings.lines()).hasSize(2);
        assertThat(commands.more()).isFalse();

        execute("DELETE FROM csi4j_submission WHERE id = 2");
        assertThat(next()).containsExactly(1L);
        assertThat(warnings.lines()).hasSize(3).last().asString().contains("WHERE id = 3;");

        execute("DELETE FROM csi4j_submission WHERE id = 3");
        assertThat(next()).containsExactly(1L, 4L);
    }

    @Test
    void backlogOfTenSecondsIsReportedEachMinuteUntilItIsOver() throws SQLException {
        fill(RecordedCommands.MOST_COMMANDS);
        next();
        time.advance(Duration.ofSeconds(9));
        next();
        assertThat(warnings.lines()).isEmpty();
        time.advance(Duration.ofSeconds(2));
        next();
        next();
        assertThat(warnings.lines())
                .singleElement()
                .asString()
                .contains("record commands faster than csi4j_* of a test takes them: 500 wait, the oldest since 20");

        execute("DELETE FROM csi4j_submission WHERE id = 1");
        next();
        execute("INSERT INTO csi4j_submission (subject, recorded_at, content) SELECT subject, recorded_at, content FROM"
                + " csi4j_submission LIMIT 1");
        time.advance(Duration.ofMinutes(2));
        next();
        assertThat(warnings.lines()).hasSize(1);
    }

    @Test
    void veryManyRejectionsWriteFewLines() {
        for (int i = 0; i < 1_000; i++) {
            commands.applied(
                    Entry.after(new byte[Entry.CHAIN_BYTES], i + 1, 1, Entry.HOST, i, command("web-" + i)),
                    new Outcome.Rejected(new Rejection.AllocationNotFound(AllocationId.of("web-" + i))));
        }
        assertThat(warnings.lines()).hasSizeBetween(10, 100).first().asString().contains("forgotten allocation web-0");
    }
}
