package io.csi4j.admin.internal.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.admin.AdminRig;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.state.LocalCommandLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LogPageTest {
    private static final LogDetails DETAILS = new LogDetails(
            OptionalLong.of(101),
            Optional.of(new LogDetails.Snapshot(900, 1536, Optional.of(Duration.ofMinutes(5)))),
            List.of(
                    server("s1", 1000, Duration.ofMillis(400), "1.2"),
                    server("s2", 980, Duration.ofSeconds(75), "1.1")),
            Optional.of(Duration.ofMillis(700)),
            Optional.empty(),
            3,
            7,
            2048);

    private static LogDetails.Server server(String name, long applied, Duration silent, String version) {
        return new LogDetails.Server(name, OptionalLong.of(applied), Optional.of(silent), Optional.of(version));
    }

    private static LogStatus status(Optional<String> leader, LogDetails details) {
        return new LogStatus(
                "s1",
                true,
                leader,
                leader.map(name -> Instant.now().minusSeconds(7_300)),
                12,
                1000,
                1000,
                1000,
                900,
                List.of("s1", "s2"),
                details);
    }

    private static LogDetails troubled(String message, String remedy) {
        return new LogDetails(
                DETAILS.firstIndex(),
                DETAILS.snapshot(),
                DETAILS.servers(),
                DETAILS.leaseAge(),
                Optional.of(new LogDetails.Trouble(message, remedy, Duration.ofSeconds(95))),
                DETAILS.failures(),
                DETAILS.waitingCommands(),
                DETAILS.waitingBytes());
    }

    private static String text(String page) {
        return page.replaceAll("<[^>]*>", " ").replaceAll("\\s+", " ");
    }

    /** A console that shows a log. */
    private static final class LogRig implements AutoCloseable {
        final AtomicReference<ShownLog> log = new AtomicReference<>();
        final AdminRig rig;

        LogRig(LogStatus status) throws Exception {
            rig = new AdminRig((builder, store) -> {
                CommandLog local = new LocalCommandLog(store);
                log.set(new ShownLog(local, status));
                return builder.log(log.get());
            });
        }

        String page() throws Exception {
            return rig.page("/log");
        }

        @Override
        public void close() {
            rig.close();
        }
    }

    @Test
    void pageShowsLeaderServersEntriesAndSnapshot() throws Exception {
        try (LogRig rig = new LogRig(status(Optional.of("s1"), DETAILS))) {
            assertThat(text(rig.page()))
                    .contains("Server s1 leads Term 12, since ")
                    .contains(", for 2 h 1 min. This is server s1.")
                    .contains("Entries 900 from index 101 to 1000")
                    .contains("Snapshot to index 900 1.5 KiB, 5 min 0 s old")
                    .contains("Waiting commands 7 2 KiB")
                    .contains("Lease 700 ms since its last renewal was sent")
                    .contains("Failures 3 of the storage")
                    .contains("s1 leads 1000 0 400 ms ago 1.2")
                    .contains("s2 follows 980 20 1 min 15 s ago 1.1")
                    .doesNotContain("Trouble");
        }
    }

    @Test
    void pageAndHealthShowTroubleWithRemedy() throws Exception {
        try (LogRig rig = new LogRig(status(Optional.of("s1"), troubled("the disk is full", "Free space there.")))) {
            assertThat(text(rig.page())).contains("Trouble for 1 min 35 s the disk is full Free space there.");
            var health = rig.rig.get("/health");
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(health.body())
                    .contains("\"kind\":\"log_trouble\",\"blocking\":false")
                    .contains("the disk is full (for 95 s)", "Free space there.");
        }
    }

    @Test
    void pageShowsThatNoneLeadsOrThatServerHasStopped() throws Exception {
        try (LogRig rig = new LogRig(status(Optional.empty(), LogDetails.none()))) {
            assertThat(text(rig.page()))
                    .contains("No leader is known Term 12. This is server s1.")
                    .contains("Entries - to index 1000", "s1 follows 1000 0 - -", "s2 follows - - - -");

            rig.log.get().failed.complete(new LogFailedException("the log was put back", null));
            assertThat(text(rig.page()))
                    .contains("This server has stopped permanently the log was put back This is server s1.");
        }
    }

    @Test
    void serverThatFollowsIsAbleIfItsLogNamesLeader() throws Exception {
        for (Optional<String> leader : List.of(Optional.of("s2"), Optional.<String>empty())) {
            try (LogRig rig = new LogRig(status(leader, DETAILS))) {
                rig.rig.lifecycle.stopLeading();
                var health = rig.rig.get("/health");
                assertThat(health.statusCode()).isEqualTo(leader.isPresent() ? 200 : 503);
                assertThat(health.body()).contains(leader.isPresent() ? "\"leader\":\"s2\"" : "\"kind\":\"no_leader\"");
            }
        }
    }

    @Test
    void consoleWithoutLogSaysHowToGiveIt() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            assertThat(text(rig.page("/log"))).contains("AdminServer.builder(lifecycle).log(log)");
        }
    }

    @Test
    void everyTextOfLogIsHtmlEscaped() throws Exception {
        String evil = "<script>window.pwned=1</script>\"'&";
        LogDetails details = new LogDetails(
                OptionalLong.empty(),
                Optional.empty(),
                List.of(server(evil, 1, Duration.ZERO, "<img src=x>")),
                Optional.empty(),
                Optional.of(new LogDetails.Trouble("<b>message" + evil, "<i>remedy" + evil, Duration.ZERO)),
                0,
                0,
                0);
        LogStatus status = new LogStatus(
                evil, true, Optional.of(evil), Optional.empty(), 1, 1, 1, 1, 0, List.of("<u>" + evil), details);
        try (LogRig rig = new LogRig(status)) {
            rig.log.get().failed.complete(new LogFailedException("<p>stopped" + evil, null));
            for (String path : List.of("/log", "/")) {
                assertThat(rig.rig.get(path).body())
                        .as(path)
                        .contains("&lt;script&gt;window.pwned=1&lt;/script&gt;&quot;&#39;&amp;")
                        .doesNotContain("<script>", "<img", "<b>", "<i>", "<u>", "<p>stopped");
            }
            assertThat(rig.page()).contains("&lt;u&gt;", "&lt;p&gt;stopped", "&lt;img src=x&gt;");
        }
    }
}
