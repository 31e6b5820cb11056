package io.csi4j.replication.ratis;

import static io.csi4j.replication.ratis.TestCluster.NOW;
import static io.csi4j.replication.ratis.TestCluster.has;
import static io.csi4j.replication.ratis.TestCluster.node;
import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.command.Command;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.spi.LogFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The disk is a small tmpfs, so the test needs root on Linux. */
@Timeout(60)
final class FullDiskTest {
    private static final int LINE = 500;

    @TempDir
    Path directory;

    private Path disk;
    private boolean mounted;

    @BeforeEach
    void mount() throws Exception {
        disk = Files.createDirectory(directory.resolve("disk"));
        mounted = run("mount", "-t", "tmpfs", "-o", "size=5m", "tmpfs", disk.toString());
        assumeTrue(mounted, "needs the right to mount");
    }

    @AfterEach
    void unmount() throws Exception {
        if (mounted) {
            assertThat(run("umount", disk.toString())).isTrue();
        }
    }

    private static boolean run(String... command) throws Exception {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getInputStream().readAllBytes();
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException noSuchProgram) {
            return false;
        }
    }

    private static Command large(String name) {
        List<Command> nodes = new ArrayList<>();
        for (int i = 0; i < LINE; i++) {
            nodes.add(node(name + "-" + i));
        }
        return new Batch(nodes, NOW);
    }

    @Test
    void snapshotThatTheFullDiskRefusesIsTroubleUntilOneIsWritten() throws Exception {
        try (RatisCommandLog log = RatisCommandLog.builder(disk.resolve("data")).start()) {
            submit(log, "before", 3);
            assertThat(log.status().details().trouble()).isEmpty();
            Path fill = disk.resolve("fill");
            assertThat(run("dd", "if=/dev/zero", "of=" + fill, "bs=64k"))
                    .as("the disk has no space left")
                    .isFalse();
            assertThatThrownBy(() -> log.takeSnapshot().join()).hasMessageContaining("No space left");
            assertThatThrownBy(() -> log.takeSnapshot().join()).hasMessageContaining("No space left");
            assertThat(log.status().details().failures()).isEqualTo(2);
            assertThat(log.status().details().trouble()).hasValueSatisfying(trouble -> {
                assertThat(trouble.message()).contains("snapshot", "was not written: No space left");
                assertThat(trouble.remedy()).contains("csi log snapshot");
            });
            Files.delete(fill);
            assertThat(log.takeSnapshot().join()).isPositive();
            assertThat(log.status().details().trouble()).isEmpty();
        }
    }

    @Test
    void peerWithFullDiskStopsWithoutLosingAcknowledgedCommands() throws Exception {
        RatisLogOptions options =
                RatisLogOptions.builder().submitTimeout(Duration.ofSeconds(10)).build();
        int answered = 0;
        try (RatisCommandLog log =
                RatisCommandLog.builder(disk.resolve("data")).options(options).start()) {
            LogFailedException failure = null;
            while (failure == null) {
                try {
                    log.submit(large("batch-" + answered)).join();
                    answered++;
                } catch (CompletionException e) {
                    assertThat(Futures.unwrap(e)).isInstanceOf(LogFailedException.class);
                    failure = (LogFailedException) Futures.unwrap(e);
                }
            }
            assertThat(failure)
                    .hasMessageContaining("The log in " + disk.resolve("data"))
                    .hasMessageContaining("cannot be written")
                    .hasMessageContaining("Free space on the disk");
            assertThatThrownBy(() -> log.submit(node("later")).join()).hasCause(failure);
            assertThat(log.status().leading()).isFalse();
        }
        assertThat(answered).isPositive();
        assertThat(run("mount", "-o", "remount,size=64m", disk.toString())).isTrue();
        try (RatisCommandLog log = RatisCommandLog.builder(disk.resolve("data")).start()) {
            log.readLinearizable().join();
            for (int i = 0; i < answered; i++) {
                assertThat(has(log, "batch-" + i + "-" + (LINE - 1))).isTrue();
            }
            submit(log, "after", 3);
        }
    }
}
