package io.csi4j.replication.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.postgres.PostgresServer;
import io.csi4j.testkit.contract.ReplicatedLogContract;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Three servers on the oldest supported PostgreSQL keep the contract. */
class OldestPostgresContractTest implements ReplicatedLogContract {
    private static final AtomicInteger SCHEMAS = new AtomicInteger();
    private static PostgresServer postgres;

    private HikariDataSource pool;

    @BeforeAll
    static void startServer() {
        postgres = PostgresServer.builder().oldest().start();
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
        pool = postgres.pool(source, 12);
    }

    @Override
    public ReplicatedLog open(int number) throws IOException {
        return Logs.builder(pool, "server-" + number).start();
    }
}
