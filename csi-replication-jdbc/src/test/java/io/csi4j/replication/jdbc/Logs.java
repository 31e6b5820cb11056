package io.csi4j.replication.jdbc;

import io.csi4j.state.ClearTextSecretsCipher;
import java.time.Duration;
import javax.sql.DataSource;

/** Logs with a short lease, for tests. */
final class Logs {
    static final JdbcLogOptions FAST = JdbcLogOptions.builder()
            .lease(Duration.ofMillis(1_500))
            .submitTimeout(Duration.ofSeconds(20))
            .statementTimeout(Duration.ofSeconds(2))
            .build();

    private Logs() {}

    static JdbcCommandLogBuilder builder(DataSource pool, String server) {
        return JdbcCommandLog.builder(pool)
                .server(server)
                .createTables()
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .options(FAST);
    }
}
