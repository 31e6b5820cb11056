package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The process of a leader stands still for longer than the lease, and continues under the next leader. */
@Timeout(60)
@ExtendWith(PostgresExtension.class)
class PausedServerTest {
    private static final int PAUSES = 3;

    @TempDir
    Path directory;

    private Process child;

    @AfterEach
    void stop() throws Exception {
        if (child != null) {
            child.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
        }
    }

    private void signal(String name) throws Exception {
        assertThat(new ProcessBuilder("kill", "-s", name, Long.toString(child.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private List<String> output() {
        try {
            String text = Files.readString(directory.resolve("output"));
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long times(String line) {
        return output().stream().filter(line::equals).count();
    }

    @Test
    void commandsOfPausedLeaderAreNotAppliedUnderNextLeader(TestSchema schema) throws Exception {
        child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LeaderProgram.class.getName(),
                        Integer.toString(schema.server().port()),
                        schema.name())
                .redirectOutput(directory.resolve("output").toFile())
                .redirectError(directory.resolve("errors").toFile())
                .start();
        try (TestServers servers = TestServers.in(schema)) {
            for (int pause = 1; pause <= PAUSES; pause++) {
                int now = pause;
                await("the child leads", () -> times("leads") == now);
                int answered = output().size();
                await("the child submits commands", () -> output().size() > answered + 20);
                Server next = servers.start("next-" + pause);
                signal("STOP");
                await("the next server leads", next::leads);
                next.submitAll("parent-" + pause + "-", 5);
                signal("CONT");
                await("the child follows", () -> times("follows") == now + 1);
                next.submitAll("later-" + pause + "-", 5);
                servers.close(next);
            }
        }
        List<Long> terms = servers(schema).values("SELECT term FROM csi4j_log WHERE term > 0 ORDER BY idx").stream()
                .map(Long::valueOf)
                .toList();
        assertThat(terms).isSorted().hasSizeGreaterThan(PAUSES * 20);
        // The child submits only while its engine acts, and so none of its commands is bound to no term.
        assertThat(servers(schema)
                        .values("SELECT idx FROM csi4j_log WHERE term = 0 AND origin IN"
                                + " (SELECT incarnation FROM csi4j_server WHERE name = 'child')"))
                .isEmpty();
        // Read before the log, because the child may lead and submit again.
        List<String> answered =
                output().stream().filter(line -> line.startsWith("child-")).toList();
        assertThat(servers(schema).logged()).doesNotHaveDuplicates().containsAll(answered);
    }

    private static TestServers servers(TestSchema schema) {
        return TestServers.in(schema);
    }
}
