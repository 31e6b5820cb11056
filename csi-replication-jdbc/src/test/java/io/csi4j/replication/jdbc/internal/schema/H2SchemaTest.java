package io.csi4j.replication.jdbc.internal.schema;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class H2SchemaTest extends SchemaTest {
    @TempDir
    Path directory;

    @Override
    DataSource dataSource() {
        return source("");
    }

    private JdbcDataSource source(String options) {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:file:" + directory.resolve("log") + ";WRITE_DELAY=0" + options);
        source.setUser("csi4j");
        return source;
    }

    @Test
    void creationThatWasInterruptedContinues() throws SQLException {
        try (Connection connection = connect()) {
            String script = TableNames.ofDefault().sql(Dialect.of(connection));
            execute(connection, script.substring(0, script.indexOf("CREATE TABLE csi4j_log")));
        }
        try (Connection connection = created()) {
            new Schema(TableNames.ofDefault(), "prod").check(connection);
        }
    }

    @Test
    void readOnlyFileIsRefused() throws SQLException {
        created().close();
        try (Connection connection = source(";ACCESS_MODE_DATA=r").getConnection()) {
            assertThatThrownBy(() -> new Schema(TableNames.ofDefault(), "prod").check(connection))
                    .hasMessageContaining("The database is read-only. Remove ACCESS_MODE_DATA=r");
        }
    }
}
