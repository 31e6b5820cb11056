package io.csi4j.replication.jdbc;

import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.ReplicatedLogBuilder;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.replication.jdbc.internal.LogProcess;
import io.csi4j.replication.jdbc.internal.LogSettings;
import io.csi4j.replication.jdbc.internal.schema.TableNames;
import io.csi4j.state.StateStoreOptions;
import java.io.IOException;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Builds {@link JdbcCommandLog}s. Not thread-safe. */
public final class JdbcCommandLogBuilder implements ReplicatedLogBuilder {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");

    private final LogSettings settings;
    private @Nullable String schema;
    private String prefix = TableNames.DEFAULT_PREFIX;

    JdbcCommandLogBuilder(DataSource pool) {
        this.settings = new LogSettings(pool);
    }

    /**
     * Sets the name of this server, for people. Which server leads does not depend on it.
     *
     * @param name 1 to 100 letters, digits, dots, hyphens and underscores; another one for each server. Default: {@code
     *     local}
     */
    public JdbcCommandLogBuilder server(String name) {
        Objects.requireNonNull(name, "name");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("JdbcCommandLogBuilder: server is '" + name
                    + "'; give 1 to 100 letters, digits, dots, hyphens and underscores");
        }
        settings.server = name;
        return this;
    }

    /**
     * Sets the name of the cluster. A server of another cluster is refused by the tables.
     *
     * @param name the name, which must be the same at all servers and never change. Default: {@code csi4j}
     */
    public JdbcCommandLogBuilder cluster(String name) {
        settings.cluster = Objects.requireNonNull(name, "name");
        return this;
    }

    /**
     * Sets the schema of the tables.
     *
     * @param name small letters, digits and underscores. Default: the first schema of the connection's search path
     */
    public JdbcCommandLogBuilder schema(String name) {
        this.schema = Objects.requireNonNull(name, "name");
        return this;
    }

    /**
     * Sets the beginning of the tables' names.
     *
     * @param prefix small letters, digits and underscores. Default: {@code csi4j_}
     */
    public JdbcCommandLogBuilder tablePrefix(String prefix) {
        this.prefix = Objects.requireNonNull(prefix, "prefix");
        return this;
    }

    /**
     * Lets {@link #start} create the tables that are missing; the role then needs the right CREATE on the schema. Without
     * this, run the SQL file of the module before the first start, for example with Flyway or Liquibase. {@link #start}
     * writes the first rows in both cases.
     */
    public JdbcCommandLogBuilder createTables() {
        settings.createTables = true;
        return this;
    }

    /** Sets the options of the state, which may have the {@linkplain #secretsCipher cipher}. */
    public JdbcCommandLogBuilder state(StateStoreOptions options) {
        settings.state = Objects.requireNonNull(options, "options");
        return this;
    }

    /**
     * Sets the cipher for secrets, contexts, mount flags and parameters in the database, and keeps the other options of
     * the {@link #state}. All servers need the same keys.
     *
     * @param cipher for example an {@link io.csi4j.state.AesGcmSecretsCipher}; required
     */
    public JdbcCommandLogBuilder secretsCipher(SecretsCipher cipher) {
        Objects.requireNonNull(cipher, "cipher");
        StateStoreOptions.Builder options = StateStoreOptions.builder()
                .writeTimeout(settings.state.writeTimeout())
                .secretsCipher(cipher);
        settings.state.watchExecutor().ifPresent(options::watchExecutor);
        settings.state = options.build();
        return this;
    }

    /** Sets limits and intervals. Default: {@link JdbcLogOptions#ofDefaults()}. */
    public JdbcCommandLogBuilder options(JdbcLogOptions options) {
        settings.options = Objects.requireNonNull(options, "options");
        return this;
    }

    @Override
    public JdbcCommandLogBuilder environment(Environment environment) {
        settings.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Checks the tables, and applies all entries that are there. Blocks on the database; does not wait for a leader.
     *
     * @return a running log; the host closes it
     * @throws DatabaseUnusableException if tables, columns or rights are missing, or the tables belong to another cluster;
     *     the message has all reasons with their remedies
     * @throws LogFailedException if the log is damaged, or has an entry that this version cannot read
     * @throws IllegalStateException if the cipher is missing
     * @throws IOException if the database cannot be reached
     */
    @Override
    public JdbcCommandLog start() throws IOException {
        settings.names = TableNames.of(schema, prefix);
        if (settings.state.secretsCipher().isEmpty()) {
            throw new IllegalStateException("JdbcCommandLogBuilder: there is no cipher for secrets; set secretsCipher,"
                    + " with the same keys at all servers, for example an AesGcmSecretsCipher");
        }
        return new JdbcCommandLog(LogProcess.start(settings));
    }
}
