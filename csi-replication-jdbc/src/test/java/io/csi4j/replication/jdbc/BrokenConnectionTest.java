package io.csi4j.replication.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Outcome;
import io.csi4j.postgres.CutProxy;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The connection of a server breaks while it appends commands: at each statement, and at the answer of the commit. */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class BrokenConnectionTest {
    private static final int AT_ONCE = 20;

    private static final List<String> submitted = new ArrayList<>();

    private static TestServers servers;
    private static Server cut;
    private static Server other;

    @BeforeAll
    static void start(TestSchema schema) throws Exception {
        servers = TestServers.in(schema);
        cut = servers.start("a");
        other = servers.start("b");
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachCommandIsAnsweredAndInLogOnce(boolean executed) throws Exception {
        List<CompletableFuture<Outcome>> answers = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            CutProxy network = cut.network;
            CompletableFuture<Void> broken =
                    executed ? network.cutAnswerOf("with moved") : network.cutBefore("with moved");
            for (int i = 0; i < AT_ONCE; i++) {
                for (Server server : List.of(cut, other)) {
                    String name = server.name + "-" + submitted.size();
                    submitted.add(name);
                    answers.add(server.submit(name));
                }
            }
            assertThat(broken).succeedsWithin(20, TimeUnit.SECONDS);
        }

        for (CompletableFuture<Outcome> answer : answers) {
            assertThat(answer.get(20, TimeUnit.SECONDS).accepted()).isTrue();
        }
        assertThat(servers.logged()).containsExactlyInAnyOrderElementsOf(submitted);
        assertThat(servers.values("SELECT number FROM csi4j_log GROUP BY origin, number HAVING count(*) > 1"))
                .isEmpty();
        servers.assertEqualStates();
    }
}
