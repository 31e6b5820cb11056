package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;
import static io.csi4j.replication.ratis.TestCluster.has;
import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A loss of power: a process writes to a disk, is stopped while it writes, and the disk is copied as it is. The copy has only
 * what was flushed to the disk, because nothing is unmounted and the rest is still in the memory of Linux. A log that starts
 * from the copy must have each command that was answered. The test needs root on Linux, and is skipped where loop devices are
 * not permitted.
 */
@Timeout(120)
final class PowerLossTest {
    private static final int LOSSES = Integer.getInteger("csi4j.power.losses", 4);
    private static final int COMMANDS_BETWEEN = 100;

    @TempDir
    Path root;

    private TestDisk disk;
    private Process writer;

    @AfterEach
    void stop() throws Exception {
        if (writer != null) {
            writer.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
        }
        if (disk != null) {
            disk.close();
        }
    }

    @Test
    void eachAnsweredCommandIsOnDiskWhenPowerIsLost() throws Exception {
        disk = TestDisk.create(root.resolve("disk.img"), root.resolve("disk"));
        Path output = root.resolve("answered");
        writer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WriterProgram.class.getName(),
                        disk.directory().resolve("data").toString())
                .redirectOutput(output.toFile())
                .redirectError(root.resolve("errors").toFile())
                .start();
        long checked = 0;
        for (int loss = 0; loss < LOSSES; loss++) {
            long atLeast = checked + COMMANDS_BETWEEN;
            await("more answers", () -> answered(output).size() >= atLeast || !writer.isAlive());
            signal("STOP");
            await("all threads of the process have stopped", this::stopped);
            List<String> answered = answered(output);
            Path copy = root.resolve("copy-" + loss + ".img");
            assertThat(TestDisk.run(
                            "cp",
                            "--reflink=never",
                            "--sparse=always",
                            disk.image().toString(),
                            copy.toString()))
                    .isTrue();
            signal("CONT");
            assertThat(writer.isAlive())
                    .as(Files.readString(root.resolve("errors")))
                    .isTrue();
            check(copy, root.resolve("copy-" + loss), answered);
            Files.delete(copy);
            checked = answered.size();
        }
    }

    private static void check(Path image, Path directory, List<String> answered) throws Exception {
        TestDisk copy = TestDisk.mount(image, directory);
        try (RatisCommandLog log =
                RatisCommandLog.builder(directory.resolve("data")).start()) {
            log.readLinearizable().join();
            assertThat(answered).isNotEmpty().allMatch(number -> has(log, "command-" + number));
            submit(log, "after", 3);
        } finally {
            copy.close();
        }
    }

    private void signal(String name) throws Exception {
        assertThat(TestDisk.run("kill", "-" + name, Long.toString(writer.pid())))
                .isTrue();
    }

    /** Returns whether no thread of the process runs or waits for the disk any more. */
    private boolean stopped() {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(writer.pid()), "task"))) {
            return threads.allMatch(thread -> {
                String stat = read(thread.resolve("stat"));
                return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the numbers of the commands that were answered, without a last line that is not complete. */
    private static List<String> answered(Path output) {
        String text = read(output);
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
