package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.node.internal.ledger.DurableDirectories;
import io.csi4j.node.internal.ledger.FileLedger;
import io.csi4j.node.internal.ledger.FileLedgerTest;
import io.csi4j.node.internal.ledger.StrictPaths;
import io.csi4j.node.internal.mount.MountInspector;
import io.csi4j.node.internal.mount.StatProbe;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A plugin that may write below the base directory, and swaps directories with links to other places while csi4j works on
 * them. The races take half a second each.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs Linux")
class RacingPluginTest {
    private static final MountPoints NOTHING = MountPoints.of(List.of());
    private static final long RACE_NANOS = 500_000_000;

    /** On a busy machine, a race goes on until the step has succeeded and failed, but not longer. */
    private static final long LIMIT_NANOS = 60_000_000_000L;

    @TempDir
    Path temporary;

    private Path base;
    private Path outside;

    @BeforeEach
    void createDirectories() throws IOException {
        base = Files.createDirectory(temporary.toRealPath().resolve("base"));
        outside = Files.createDirectories(temporary.toRealPath().resolve("outside"));
    }

    /** An operation of csi4j on one path. */
    private interface Step {
        void run() throws IOException;
    }

    /**
     * Repeats a step while a plugin swaps a directory with a link to the outside.
     *
     * @return how often the step succeeded and failed
     */
    private static List<Integer> race(Path swapped, Path outside, Step step) throws Exception {
        Path aside = swapped.resolveSibling("aside");
        AtomicBoolean stopped = new AtomicBoolean();
        Thread plugin = new Thread(() -> {
            while (!stopped.get()) {
                swap(swapped, aside, outside);
            }
        });
        plugin.start();
        int done = 0;
        int refused = 0;
        long start = System.nanoTime();
        long nanos = 0;
        while (nanos < RACE_NANOS || (nanos < LIMIT_NANOS && (done == 0 || refused == 0))) {
            try {
                step.run();
                done++;
            } catch (IOException | UncheckedIOException e) {
                refused++;
            }
            nanos = System.nanoTime() - start;
        }
        stopped.set(true);
        plugin.join();
        return List.of(done, refused);
    }

    /** Puts a link in place of a directory, and puts the directory back. */
    private static void swap(Path swapped, Path aside, Path outside) {
        try {
            Files.move(swapped, aside, StandardCopyOption.ATOMIC_MOVE);
            Files.createSymbolicLink(swapped, outside);
        } catch (IOException e) {
            // csi4j has created the directory again.
        }
        while (Files.exists(aside)) {
            try (Stream<Path> files = Files.walk(swapped)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> assertThat(file.toFile().delete()).isTrue());
            } catch (IOException | UncheckedIOException | AssertionError e) {
                // csi4j has created or removed something there.
            }
            try {
                Files.move(aside, swapped, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                // csi4j has created the directory again.
            }
        }
    }

    private List<Path> filesOutside() throws IOException {
        try (Stream<Path> files = Files.walk(outside)) {
            return files.sorted().toList();
        }
    }

    @Test
    void noDirectoryIsCreatedOrRemovedOutsideWhilePluginSwapsDirectoryWithLink() throws Exception {
        Path namespace = Files.createDirectories(base.resolve("publish/ns"));
        Path kept = Files.createDirectories(outside.resolve("v/kept"));
        Files.createDirectories(namespace.resolve("v"));
        List<Integer> results = race(namespace, outside, () -> {
            DurableDirectories.makeStrictly(namespace.resolve("v/a"));
            DurableDirectories.remove(namespace.resolve("v/kept"), base.resolve("publish/ns/v"), NOTHING);
            DurableDirectories.remove(namespace.resolve("v/a"), base.resolve("publish/ns/v"), NOTHING);
            assertThat(MountInspector.leaves(namespace.resolve("v"))).doesNotContain(namespace.resolve("v/kept"));
        });
        assertThat(results).allMatch(count -> count > 0);
        assertThat(filesOutside()).containsExactly(outside, outside.resolve("v"), kept);
    }

    @Test
    void noRecordIsWrittenOrRemovedOutsideWhilePluginSwapsDirectoryWithLink() throws Exception {
        Path namespace = Files.createDirectories(base.resolve("ledger/ns"));
        Path kept = Files.createFile(outside.resolve("w.rec"));
        try (FileLedger ledger = FileLedger.open(base.resolve("ledger"), false)) {
            List<Integer> results = race(namespace, outside, () -> {
                ledger.save(FileLedgerTest.entry("v", "a"));
                ledger.remove(VolumeKey.of("ns", "w"));
                ledger.remove(VolumeKey.of("ns", "v"));
            });
            assertThat(results).allMatch(count -> count > 0);
        }
        assertThat(filesOutside()).containsExactly(outside, kept);
    }

    @Test
    void ledgerDirectoryThatIsLinkIsRefused() throws IOException {
        Files.createSymbolicLink(base.resolve("ledger"), outside);
        assertThatThrownBy(() -> FileLedger.open(base.resolve("ledger"), false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'" + base.resolve("ledger") + "' is ");
        assertThat(filesOutside()).containsExactly(outside);
    }

    @Test
    void lockFileThatIsLinkIsRefused() throws IOException {
        Files.createDirectory(base.resolve("ledger"));
        Files.createSymbolicLink(base.resolve("ledger/.lock"), outside.resolve("made"));
        assertThatThrownBy(() -> FileLedger.open(base.resolve("ledger"), false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'" + base.resolve("ledger/.lock") + "' is a link");
        assertThat(filesOutside()).containsExactly(outside);
    }

    @Test
    void checkDoesNotFollowLinkInPlaceOfMount() throws Exception {
        Path target = Files.createSymbolicLink(base.resolve("target"), outside);
        VirtualTime time = VirtualTime.shuffled(1);
        StatProbe probe = new StatProbe(Thread::new, time, Duration.ofMinutes(1));
        assertThat(probe.probe(target).get(60, TimeUnit.SECONDS)).isEqualTo(PathProbe.Finding.BROKEN);
    }

    @Test
    void exceptionNamesPathAsItWasGiven() {
        Path missing = base.resolve("missing/file");
        assertThatThrownBy(() -> StrictPaths.call(missing, Files::readAllBytes))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessage(missing.toString());
    }

    @Test
    void foreignMountStaysWhileWriterSwapsDirectoryAboveTargetWithLink() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(
                exit("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", outside.toString()) == 0,
                "needs the right to mount");
        List<String> command = new ArrayList<>(List.of("unshare", "-m", "--propagation", "private"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(RacingWriter.class.getName(), base.toString(), "800"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output.strip()).isEqualTo("unmounted true, refused true, foreign 0");
    }

    private static int exit(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        return process.waitFor();
    }
}
