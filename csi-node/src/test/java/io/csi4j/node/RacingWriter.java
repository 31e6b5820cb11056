package io.csi4j.node;

import io.csi4j.core.spi.Timer;
import io.csi4j.node.internal.mount.UmountProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A program that unmounts a target many times while a writer swaps the directory above it with a link to a directory
 * that has a foreign mount of the same name. The program has a mount namespace of its own, so that no mount stays.
 */
final class RacingWriter {
    private final Path volume;
    private final Path aside;
    private final Path foreign;
    /** The writer holds it for each swap, so that the program mounts the target while its directory is in place. */
    private final ReentrantLock swap = new ReentrantLock(true);

    private volatile boolean stopped;

    private RacingWriter(Path directory) throws IOException {
        this.volume = Files.createDirectories(directory.resolve("publish/ns/v"));
        this.aside = volume.resolveSibling("aside");
        this.foreign = Files.createDirectories(directory.resolve("foreign"));
        Files.createDirectory(volume.resolve("a"));
        mount(Files.createDirectory(foreign.resolve("a")));
    }

    /**
     * Prints the number of unmounts of the target, of refused unmounts, and of unmounts of the foreign mount.
     *
     * @param arguments a directory, and the time in milliseconds
     */
    public static void main(String[] arguments) throws Exception {
        RacingWriter writer = new RacingWriter(Path.of(arguments[0]).toRealPath());
        Thread swapping = new Thread(writer::swap);
        swapping.start();
        writer.unmount(Duration.ofMillis(Long.parseLong(arguments[1])));
        writer.stopped = true;
        swapping.join();
    }

    private void swap() {
        while (!stopped) {
            swap.lock();
            try {
                Files.move(volume, aside, StandardCopyOption.ATOMIC_MOVE);
                Files.createSymbolicLink(volume, foreign);
                Thread.onSpinWait();
                Files.delete(volume);
                Files.move(aside, volume, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                swap.unlock();
            }
        }
    }

    private void unmount(Duration time) throws Exception {
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        UmountProcess process = new UmountProcess("umount", Timer.from(scheduler), Duration.ofMinutes(1));
        Path target = volume.resolve("a");
        int unmounted = 0;
        int refused = 0;
        int lost = 0;
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end || unmounted == 0 || refused == 0) {
            swap.lock();
            try {
                if (!mounted(target)) {
                    mount(target);
                }
            } finally {
                swap.unlock();
            }
            try {
                process.unmount(target).get(60, TimeUnit.SECONDS);
                unmounted++;
            } catch (ExecutionException e) {
                refused++;
            }
            if (!mounted(foreign.resolve("a"))) {
                lost++;
                mount(foreign.resolve("a"));
            }
        }
        scheduler.shutdownNow();
        System.out.println("unmounted " + (unmounted > 0) + ", refused " + (refused > 0) + ", foreign " + lost);
    }

    private static void mount(Path path) {
        RealMountsTest.run("mount", "-t", "tmpfs", "tmpfs", path.toString());
    }

    private static boolean mounted(Path path) throws IOException {
        return MountTable.ofLinux().read().contains(path);
    }
}
