package io.csi4j.replication.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import io.csi4j.testkit.contract.ReplicatedLogContract;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Three servers on one PostgreSQL keep the contract. */
@ExtendWith(PostgresExtension.class)
class PostgresServersContractTest implements ReplicatedLogContract {
    private HikariDataSource pool;

    @BeforeEach
    void connect(TestSchema schema) {
        pool = schema.server().pool(schema.dataSource(), 12);
    }

    @AfterEach
    void disconnect() {
        pool.close();
    }

    @Override
    public ReplicatedLog open(int number) throws IOException {
        return Logs.builder(pool, "server-" + number).start();
    }
}
