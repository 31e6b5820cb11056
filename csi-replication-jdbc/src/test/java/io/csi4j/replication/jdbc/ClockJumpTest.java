package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.spi.Environment;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The clock of a server jumps by a day. The log measures elapsed time only. */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class ClockJumpTest {
    @Test
    void leadershipDoesNotChangeWhenClocksJump(TestSchema schema) throws Exception {
        AtomicReference<Duration> jump = new AtomicReference<>(Duration.ZERO);
        InstantSource source = () -> Instant.now().plus(jump.get());
        Clock clock = source.withZone(ZoneOffset.UTC);
        try (Environment system = Environment.system();
                TestServers servers = TestServers.in(
                        schema,
                        log -> log.environment(
                                Environment.of(clock, system.timer(), system.executor(), system.random())))) {
            servers.startAll("a", "b");
            Server leader = servers.leader();
            for (Duration next : new Duration[] {Duration.ofDays(1), Duration.ofDays(-1), Duration.ZERO}) {
                jump.set(next);
                String renewals = "SELECT renewals FROM csi4j_lease";
                long before = Long.parseLong(servers.query(renewals));
                await("the lease is renewed", () -> Long.parseLong(servers.query(renewals)) > before + 3);
                leader.submitAll("n" + before + "-", 2);
                assertThat(leader.leads()).isTrue();
            }
            assertThat(servers.query("SELECT term FROM csi4j_lease")).isEqualTo("1");
            assertThat(servers.times.count()).isEqualTo(1);
        }
    }
}
