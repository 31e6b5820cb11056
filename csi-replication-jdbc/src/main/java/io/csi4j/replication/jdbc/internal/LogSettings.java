package io.csi4j.replication.jdbc.internal;

import io.csi4j.core.spi.Environment;
import io.csi4j.replication.jdbc.JdbcLogOptions;
import io.csi4j.replication.jdbc.internal.schema.TableNames;
import io.csi4j.state.StateStoreOptions;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The settings of a log; a setting without a default is null until it is set. */
public final class LogSettings {
    public final DataSource pool;
    public String server = "local";
    public String cluster = "csi4j";
    public TableNames names = TableNames.ofDefault();
    public boolean createTables;
    public StateStoreOptions state = StateStoreOptions.ofDefaults();
    public JdbcLogOptions options = JdbcLogOptions.ofDefaults();
    public @Nullable Environment environment;

    public LogSettings(DataSource pool) {
        this.pool = pool;
    }
}
