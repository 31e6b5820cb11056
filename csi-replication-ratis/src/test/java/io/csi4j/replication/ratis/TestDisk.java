package io.csi4j.replication.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A disk: a file with an ext4 file system, mounted through a loop device. Linux writes to the file only what a program has
 * flushed, because the file system commits by itself only every five minutes.
 */
final class TestDisk {
    private static final long SIZE = 64 << 20;
    /** A frozen disk thaws after this time in any case, because a process that waits for it cannot be killed. */
    private static final String LONGEST_FREEZE_SECONDS = "40";

    private static final String FREEZE = "fsfreeze -f \"$1\" && echo frozen && timeout " + LONGEST_FREEZE_SECONDS
            + " cat > /dev/null; fsfreeze -u \"$1\"";

    private final Path image;
    private final Path directory;
    private @Nullable Process freezer;
    private volatile boolean frozen;

    private TestDisk(Path image, Path directory) {
        this.image = image;
        this.directory = directory;
    }

    /**
     * Creates a disk and mounts it. Skips the test where loop devices are not permitted.
     *
     * @param image the file to create
     * @param directory where to mount it
     */
    static TestDisk create(Path image, Path directory) throws IOException, InterruptedException {
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(SIZE);
        }
        boolean made = run("mkfs.ext4", "-q", "-F", image.toString());
        assumeTrue(made, "needs mkfs.ext4");
        return mount(image, directory);
    }

    /** Mounts a disk that exists, for example a copy. Skips the test where loop devices are not permitted. */
    static TestDisk mount(Path image, Path directory) throws IOException, InterruptedException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Files.createDirectories(directory);
        boolean mounted = run("mount", "-o", "loop,commit=300,noatime", image.toString(), directory.toString());
        assumeTrue(mounted, "needs loop devices");
        return new TestDisk(image, directory);
    }

    static boolean run(String... command) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException noSuchProgram) {
            return false;
        }
        process.getInputStream().readAllBytes();
        return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    Path image() {
        return image;
    }

    Path directory() {
        return directory;
    }

    /** Keeps each write waiting from now on, until the disk is thawed. */
    void freeze() throws IOException {
        freezer = new ProcessBuilder("sh", "-c", FREEZE, "sh", directory.toString())
                .redirectErrorStream(true)
                .start();
        String answer = new String(freezer.getInputStream().readNBytes("frozen".length()), StandardCharsets.US_ASCII);
        assertThat(answer).as("fsfreeze confirms the freeze").isEqualTo("frozen");
        frozen = true;
    }

    /** Returns whether writes wait. While this is true, nothing reaches the disk. */
    boolean frozen() {
        return frozen;
    }

    /** Lets the waiting writes continue. */
    void thaw() throws IOException {
        Process running = freezer;
        if (running == null) {
            return;
        }
        frozen = false;
        freezer = null;
        assertThat(running.isAlive())
                .as("the disk was frozen for less than " + LONGEST_FREEZE_SECONDS + " seconds")
                .isTrue();
        running.getOutputStream().close();
        assertThat(running.onExit().orTimeout(20, TimeUnit.SECONDS).join().exitValue())
                .isZero();
    }

    /** Unmounts the disk; its file stays. */
    void close() throws IOException, InterruptedException {
        thaw();
        assertThat(run("umount", directory.toString()))
                .as("umount " + directory)
                .isTrue();
    }
}
