package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.postgres.PostgresServer;
import io.csi4j.replication.jdbc.TestServers.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The disk of PostgreSQL is full. */
@Timeout(60)
class FullDatabaseDiskTest {
    private static final int LARGE = 3_000;

    /** Returns a command that needs a new page of the table. */
    private static Batch large(int number) {
        return new Batch(
                IntStream.range(0, LARGE)
                        .<Command>mapToObj(
                                i -> TestServers.node("large-" + number + "-" + Integer.toHexString(i * 0x9e3779b1)))
                        .toList(),
                TestServers.NOW);
    }

    @Test
    void commandsWaitUntilDiskHasSpaceAgain() throws Exception {
        try (PostgresServer postgres = PostgresServer.builder().disk(64).start();
                TestServers servers = TestServers.in(postgres);
                Warnings warnings = new Warnings()) {
            Server server = servers.start("alone");
            await("the server leads", server::leads);
            server.submitAll("before-", 10);

            postgres.fillDisk();
            List<CompletableFuture<Outcome>> waiting = new ArrayList<>();
            // Some fit into pages that the tables have already.
            while (waiting.size() < 400 && warnings.lines().isEmpty()) {
                waiting.add(server.log.submit(large(waiting.size())));
            }
            warnings.await("The database of the log fails: ", "The disk of the database is full. Free space there");
            postgres.freeDisk();

            for (CompletableFuture<Outcome> answer : waiting) {
                assertThat(answer).succeedsWithin(20, TimeUnit.SECONDS);
            }
            server.submitAll("after-", 2);
            assertThat(server.has("large-0-0")).isTrue();
            assertThat(servers.query("SELECT count(*) FROM csi4j_log"))
                    .isEqualTo(Integer.toString(10 + waiting.size() + 2));
        }
    }
}
