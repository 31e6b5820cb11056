package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.NoLeaderException;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The engine of a leader needs long to stop. */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class SlowEngineTest {
    private TestServers servers;

    @BeforeEach
    void open(TestSchema schema) {
        servers = TestServers.in(schema);
    }

    @AfterEach
    void close() {
        servers.close();
    }

    /** An engine that stops only when the test lets it. */
    private static final class SlowEngine implements LeadershipListener {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch stops = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @Override
        public void startLeading() {
            started.countDown();
        }

        @Override
        public void stopLeading() {
            if (started.getCount() > 0) {
                return;
            }
            stops.countDown();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The lease is renewed until the engine has stopped, so that no other server leads before. */
    @Test
    void serverThatClosesKeepsLeaseUntilItsEngineHasStopped() throws Exception {
        Server first = servers.start("a");
        SlowEngine engine = new SlowEngine();
        first.log.onLeadership(engine);
        engine.started.await();
        Server next = servers.start("b");
        String term = servers.query("SELECT term FROM csi4j_lease");
        CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> servers.close(first));
        engine.stops.await();
        long renewals = Long.parseLong(servers.query("SELECT renewals FROM csi4j_lease"));

        // As many renewals as in a whole lease.
        await(
                "the lease is renewed",
                () -> Long.parseLong(servers.query("SELECT renewals FROM csi4j_lease")) >= renewals + 10);
        assertThat(next.leads()).isFalse();
        assertThat(first.leads()).isFalse();
        assertThat(servers.query("SELECT term FROM csi4j_lease")).isEqualTo(term);
        engine.mayEnd.countDown();
        closed.join();

        await("the other engine acts", () -> servers.times.count() == 2);
    }

    /** The engine has not heard yet that another one leads. */
    @Test
    void commandOfEngineThatHasNotStoppedYetIsRefusedUnderNextLeader() throws Exception {
        Server first = servers.start("a");
        SlowEngine engine = new SlowEngine();
        first.log.onLeadership(engine);
        engine.started.await();
        Server next = servers.start("b");
        first.network.freeze();
        engine.stops.await();
        await("the other server leads", next::leads);
        first.network.thaw();

        CompletableFuture<Outcome> late = first.submit("late");

        assertThat(catchThrowable(late::join))
                .cause()
                .isInstanceOf(NoLeaderException.class)
                .hasMessageContaining("the command was not applied");
        engine.mayEnd.countDown();
        await(
                "commands of a follower are taken",
                () -> first.submit("later")
                        .handle((outcome, failure) -> failure == null)
                        .join());
        assertThat(servers.logged()).contains("later").doesNotContain("late");
    }
}
