package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** What the tests ask of the machine. */
public final class Machine {
    private Machine() {}

    public static void assumeRoot() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self")), "needs Linux");
        assumeTrue(run("id", "-u").equals("0"), "needs root");
    }

    public static void assumeLoopDevices() {
        assumeTrue(Files.exists(Path.of("/dev/loop-control")), "needs loop devices");
    }

    /** @param directory a directory for a mount that shows whether the machine can mount such a file system */
    static void assumeFuse(Path directory) throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "needs FUSE");
        Path probe = Files.createDirectory(directory.resolve("fuse-probe"));
        assumeTrue(mountDead(probe).isEmpty(), "needs FUSE");
        run("umount", probe.toString());
    }

    /** Mounts a FUSE file system whose process has ended, and returns the output of the command. */
    static String mountDead(Path path) throws Exception {
        return run(
                "bash",
                "-c",
                "exec 3<>/dev/fuse; mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 x \"$1\"",
                "bash",
                path.toString());
    }

    static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return output.strip();
    }

    /** The lines of the mount table below a directory. */
    public static long mountsBelow(Path directory) throws IOException {
        String path = " " + directory.toRealPath() + "/";
        try (var lines = Files.lines(Path.of("/proc/self/mountinfo"))) {
            return lines.filter(line -> line.contains(path)).count();
        }
    }

    static long loopsBelow(Path directory) throws Exception {
        String path = directory.toRealPath().toString();
        return run("losetup", "--list", "--noheadings", "--output", "BACK-FILE")
                .lines()
                .filter(line -> line.strip().startsWith(path))
                .count();
    }

    /** For clean-up after a failed test: takes away what is mounted or attached below a directory. */
    public static void cleanUp(Path directory) throws Exception {
        String path = directory.toRealPath().toString();
        for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
            String point = line.split(" ", -1)[4];
            if (point.startsWith(path + "/")) {
                run("umount", point);
            }
        }
        for (String line : run("losetup", "--list", "--noheadings", "--output", "NAME,BACK-FILE")
                .split("\n", -1)) {
            String[] columns = line.strip().split("\\s+", -1);
            if (columns.length > 1 && columns[1].startsWith(path + "/")) {
                run("losetup", "--detach", columns[0]);
            }
        }
    }
}
