package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.postgres.PostgresServer;
import io.csi4j.replication.jdbc.TestServers.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A replica takes the place of the database, with or without the latest entries. */
@Timeout(60)
class PromotedReplicaTest {
    private PostgresServer postgres;
    private TestServers servers;

    @BeforeEach
    void start() {
        postgres = PostgresServer.start();
        servers = TestServers.in(postgres);
    }

    @AfterEach
    void stop() {
        servers.close();
        postgres.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void promotedReplicaTakesPlace(boolean complete) throws Exception {
        Server server = servers.start("alone");
        server.submitAll("n-", 2);
        PutBackTest.awaitIdentity(servers);
        try (PostgresServer standby = postgres.standby()) {
            if (complete) {
                server.submitAll("later-", 4);
                await("the replica has all", () -> "6".equals(standby.query("SELECT last_index FROM csi4j_head")));
            } else {
                await(
                        "the replica has the first ones",
                        () -> "2".equals(standby.query("SELECT last_index FROM csi4j_head")));
                standby.stop();
                server.submitAll("later-", 4);
            }
            server.network.freeze();
            postgres.kill();
            if (!complete) {
                standby.restart();
            }
            standby.promote();
            await("the replica is promoted", () -> "f".equals(standby.query("SELECT pg_is_in_recovery()")));
            server.network.leadTo(standby);
            server.network.cutAll();
            server.network.thaw();

            if (complete) {
                await(
                        "the nodes have to report",
                        () -> PutBackTest.ledger(server).missing());
                await("the server leads again", server::leads);
                server.submitAll("next-", 2);
                assertThat(server.has("later-3") && server.has("next-1")).isTrue();
                assertThat(server.log.failed()).isNotDone();
            } else {
                PutBackTest.assertStopped(server);
                assertThat(standby.query("SELECT identity FROM csi4j_head")).isEqualTo("put back");
            }
        }
    }
}
