package io.csi4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.replication.jdbc.JdbcCommandLog;
import io.csi4j.replication.jdbc.JdbcLogOptions;
import io.csi4j.state.ClearTextSecretsCipher;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server whose log is a database in its own process. */
@Timeout(60)
class DatabaseServerTest {
    private static final NodeId LOCAL = NodeId.of("local");
    private static final AllocationId WEB = AllocationId.of("web-1");

    @TempDir
    Path directory;

    private CsiServer start(JdbcConnectionPool pool) throws IOException {
        return CsiServer.builder(JdbcCommandLog.builder(pool)
                        .createTables()
                        .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                        .options(JdbcLogOptions.builder()
                                .lease(Duration.ofSeconds(1))
                                .build()))
                .node(LOCAL, directory.resolve("node"))
                .build();
    }

    @Test
    void restartedServerKeepsNodesAndAllocationsInDatabase() throws Exception {
        JdbcConnectionPool pool =
                JdbcConnectionPool.create("jdbc:h2:file:" + directory.resolve("log") + ";WRITE_DELAY=0", "csi4j", "");
        try (CsiServer server = start(pool)) {
            server.lifecycle().cluster().nodeReady(LOCAL).join();
            server.lifecycle()
                    .cluster()
                    .allocationStarted(WEB, Namespace.of("default"), LOCAL)
                    .join();
        }
        try (CsiServer server = start(pool)) {
            assertThat(server.state().snapshot().allocation(WEB)).isPresent();
            assertThat(server.log().status().leading()).isTrue();
            assertThat(server.log(JdbcCommandLog.class).status().self()).isEqualTo("local");
            server.lifecycle().cluster().allocationEnded(WEB).join();
        } finally {
            pool.dispose();
        }
    }
}
