package io.csi4j.benchmarks.node;

import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.node.FileOwnership;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.VolumeOwnership;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * Measures how fast the node gives the files of a volume to a group, against {@code chgrp -R} and {@code chmod -R} one
 * after the other, on a file system in memory. Needs root.
 */
public final class OwnershipBenchmark {
    private static final int FILES_OF_DIRECTORY = 1_000;

    private OwnershipBenchmark() {}

    /**
     * Runs the benchmark.
     *
     * @param arguments {@code --files N} and {@code --rounds N}, both optional
     * @throws Exception if the file system cannot be mounted or a program fails
     */
    public static void main(String[] arguments) throws Exception {
        int files = option(arguments, "--files", 1_000_000);
        int rounds = option(arguments, "--rounds", 5);
        Path root = Files.createTempDirectory("csi4j-bench").toRealPath();
        run("mount", "-t", "tmpfs", "-o", "nr_inodes=0", "tmpfs", root.toString());
        try {
            for (boolean flat : new boolean[] {false, true}) {
                Path tree = Files.createDirectory(root.resolve(flat ? "flat" : "tree"));
                makeFiles(tree, files, flat);
                run("mount", "--bind", tree.toString(), tree.toString());
                compare(tree, files, rounds, flat ? "in one directory" : "in directories of " + FILES_OF_DIRECTORY);
                run("umount", tree.toString());
                run("rm", "-rf", tree.toString());
            }
        } finally {
            run("umount", root.toString());
            Files.delete(root);
        }
        System.exit(0);
    }

    private static int option(String[] arguments, String name, int defaultValue) {
        for (int i = 0; i + 1 < arguments.length; i++) {
            if (arguments[i].equals(name)) {
                return Integer.parseInt(arguments[i + 1]);
            }
        }
        return defaultValue;
    }

    private static void makeFiles(Path tree, int files, boolean flat) throws IOException {
        Path directory = tree;
        for (int i = 0; i < files; i++) {
            if (!flat && i % FILES_OF_DIRECTORY == 0) {
                directory = Files.createDirectory(tree.resolve("directory-" + i / FILES_OF_DIRECTORY));
            }
            Files.createFile(directory.resolve("file-" + i));
        }
    }

    private static void compare(Path tree, int files, int rounds, String shape) throws Exception {
        VolumeOwnership ownership = VolumeOwnership.ofLinux();
        double[] ours = new double[rounds];
        double[] programs = new double[rounds];
        long group = 10_000;
        long before = residentKilobytes();
        for (int round = 0; round < rounds; round++) {
            reset(tree);
            OwnershipProgress progress = new OwnershipProgress();
            long begin = System.nanoTime();
            ownership
                    .change(
                            tree,
                            new FileOwnership(++group, GroupChangePolicy.ON_ROOT_MISMATCH, OptionalLong.empty()),
                            progress)
                    .join();
            ours[round] = seconds(begin);
            if (progress.changed() < files) {
                throw new IllegalStateException("only " + progress.changed() + " files were changed");
            }
            reset(tree);
            begin = System.nanoTime();
            run("chgrp", "-R", Long.toString(++group), tree.toString());
            run("chmod", "-R", "g+rwX", tree.toString());
            programs[round] = seconds(begin);
        }
        Arrays.sort(ours);
        Arrays.sort(programs);
        double mine = ours[rounds / 2];
        double theirs = programs[rounds / 2];
        System.out.printf(
                Locale.ROOT,
                "%d files %s, medians of %d rounds: %.2f s, chgrp -R and chmod -R %.2f s; speed %.2f (at least 0.8);"
                        + " memory of the process grew by %d KiB%n",
                files,
                shape,
                rounds,
                mine,
                theirs,
                theirs / mine,
                residentKilobytes() - before);
    }

    /** Takes the rights of the group, and the sign of a finished change from the root. */
    private static void reset(Path tree) throws Exception {
        run("chmod", "-R", "g=,g-s", tree.toString());
    }

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    private static long residentKilobytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0);
    }

    private static void run(String... command) throws IOException, InterruptedException {
        int status = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (status != 0) {
            throw new IOException(String.join(" ", command) + " failed with " + status);
        }
    }
}
