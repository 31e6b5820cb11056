package io.csi4j.replication.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.postgres.CutProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

@Timeout(60)
@ExtendWith(PostgresExtension.class)
class CutProxyTest {
    private TestSchema schema;
    private CutProxy proxy;

    @BeforeEach
    void start(TestSchema schema) throws Exception {
        this.schema = schema;
        proxy = new CutProxy(schema.server());
        schema.server().execute("CREATE TABLE " + schema.name() + ".rows (id int)");
    }

    @AfterEach
    void close() throws Exception {
        proxy.close();
    }

    private Connection connect() throws SQLException {
        PGSimpleDataSource source = schema.dataSource();
        source.setPortNumbers(new int[] {proxy.port()});
        Connection connection = source.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private String rows() {
        return schema.server().query("SELECT count(*) FROM " + schema.name() + ".rows");
    }

    private static void insert(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO rows VALUES (1)");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void commitWhoseAnswerIsLostHasTakenEffect(int nth) throws Exception {
        try (Connection connection = connect()) {
            // The driver prepares a statement on the server after a few uses.
            for (int i = 1; i < nth; i++) {
                insert(connection);
                connection.commit();
            }
            insert(connection);
            CompletableFuture<Void> cut = proxy.cutAnswerOf("commit");

            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);

            assertThat(cut).succeedsWithin(20, TimeUnit.SECONDS);
            assertThat(rows()).isEqualTo(Integer.toString(nth));
        }
    }

    @Test
    void commitThatIsCutBeforeServerGetsItHasNoEffect() throws Exception {
        try (Connection connection = connect()) {
            insert(connection);
            CompletableFuture<Void> cut = proxy.cutBefore("commit");

            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);

            assertThat(cut).succeedsWithin(20, TimeUnit.SECONDS);
            assertThat(rows()).isEqualTo("0");
        }
        try (Connection next = connect()) {
            insert(next);
            next.commit();
        }
        assertThat(rows()).isEqualTo("1");
    }

    @Test
    void frozenConnectionContinuesAfterThaw() throws Exception {
        try (Connection connection = connect()) {
            proxy.freeze();
            CompletableFuture<Void> insert = CompletableFuture.runAsync(() -> {
                try {
                    insert(connection);
                    connection.commit();
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
            assertThatThrownBy(() -> insert.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            assertThat(rows()).isEqualTo("0");

            proxy.thaw();

            assertThat(insert).succeedsWithin(20, TimeUnit.SECONDS);
            assertThat(rows()).isEqualTo("1");
        }
    }

    @Test
    void delayedAnswerTakesAtLeastThatLong() throws Exception {
        try (Connection connection = connect()) {
            proxy.delayAnswers(Duration.ofMillis(150));
            long start = System.nanoTime();

            insert(connection);

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(150));
        }
    }

    @Test
    void cutAndRefusedConnectionsFail() throws Exception {
        try (Connection connection = connect()) {
            proxy.refuse(true);
            assertThatThrownBy(this::connect).isInstanceOf(SQLException.class);
            insert(connection);

            proxy.cutAll();
            assertThatThrownBy(() -> insert(connection)).isInstanceOf(SQLException.class);
        }
        proxy.refuse(false);
        connect().close();
    }
}
