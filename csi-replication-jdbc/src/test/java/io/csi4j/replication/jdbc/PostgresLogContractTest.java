package io.csi4j.replication.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.postgres.PostgresServer;
import io.csi4j.testkit.contract.DurableLogContract;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A log in PostgreSQL keeps the contract; the database is killed with SIGKILL. */
class PostgresLogContractTest implements DurableLogContract {
    private static final AtomicInteger SCHEMAS = new AtomicInteger();
    private static PostgresServer postgres;

    private HikariDataSource pool;

    @BeforeAll
    static void startServer() {
        postgres = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        postgres.close();
    }

    @BeforeEach
    void createSchema() {
        String schema = "contract_" + SCHEMAS.incrementAndGet();
        postgres.execute("CREATE SCHEMA " + schema);
        var source = postgres.dataSource();
        source.setCurrentSchema(schema);
        pool = postgres.pool(source, 4);
    }

    @Override
    public CommandLog open() throws IOException {
        return Logs.builder(pool, "alone").start();
    }

    @Override
    public void close(CommandLog log) {
        ((JdbcCommandLog) log).close();
    }

    @Override
    public CommandLog crashed(CommandLog log) throws IOException {
        postgres.kill();
        postgres.restart();
        CommandLog successor = open();
        close(log);
        return successor;
    }
}
