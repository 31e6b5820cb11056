package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class RestartCommandTest {
    @TempDir
    Path directory;

    @Test
    void failedCommandIsReportedWithItsExitCodeAndLastLines() {
        assertThatThrownBy(new RestartCommand("seq 1 5000; echo no such unit >&2; exit 7")::run)
                .hasMessageContaining("the restart command ended with exit code 7: seq 1 5000;")
                .hasMessageEndingWith(" | 4999 | 5000 | no such unit")
                .hasMessageNotContaining("| 4990 |");
    }

    @Test
    void failedCommandWithoutOutputIsReportedAsSuch() {
        assertThatThrownBy(new RestartCommand("exit 3")::run)
                .hasMessageContaining("exit code 3: exit 3")
                .hasMessageEndingWith("its last output: none");
    }

    @Test
    @Timeout(value = 60, threadMode = SEPARATE_THREAD)
    void commandThatNeverEndsIsKilledAndReportedWithRemedy() throws IOException {
        Path started = directory.resolve("pid");
        assertThatThrownBy(new RestartCommand(
                        "echo serving on a socket; sleep 100000 & echo $! > " + started + "; wait",
                        Duration.ofSeconds(2))::run)
                .hasMessageContaining("did not end within 2 s and was killed")
                .hasMessageContaining("start the plugin in the background")
                .hasMessageEndingWith("its last output: serving on a socket");
        ProcessHandle.of(Long.parseLong(Files.readString(started).strip()))
                .ifPresent(left -> left.onExit().join());
    }

    @Test
    @Timeout(value = 60, threadMode = SEPARATE_THREAD)
    void pluginInBackgroundDoesNotHoldUpTheCommandThatStartedIt() throws IOException {
        Path started = directory.resolve("pid");
        try {
            assertThatCode(new RestartCommand("sleep 100000 & echo $! > " + started)::run)
                    .doesNotThrowAnyException();
        } finally {
            ProcessHandle left = ProcessHandle.of(
                            Long.parseLong(Files.readString(started).strip()))
                    .orElseThrow();
            assertThat(left.destroyForcibly()).isTrue();
        }
    }
}
