package io.csi4j.benchmarks.node;

import io.csi4j.client.CsiClient;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeVolumeStatus;
import io.csi4j.node.NodeVolumes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Measures the time from the restart of a killed agent until the agent knows that all volumes of its node are mounted. */
final class Recovery {
    private Recovery() {}

    static void measure(Path directory, int number) throws Exception {
        boolean root = "root".equals(System.getProperty("user.name"));
        try (PluginProgram plugin = PluginProgram.start(directory, 1, 0, 1)) {
            Process agent = agent("fill", directory, number, plugin.socket(0));
            readLine(agent);
            if (root) {
                bind(directory, number);
            }
            agent.destroyForcibly().waitFor();
            for (int round = 0; round < 3; round++) {
                Process next = agent("recover", directory, number, plugin.socket(0));
                System.out.println("recovery of " + number + " volumes after kill -9, "
                        + MountTable.ofLinux()
                                .read()
                                .within(directory.toRealPath())
                                .size()
                        + " real mounts: " + readLine(next) + " (at most 3 s)");
                next.destroyForcibly().waitFor();
            }
            System.out.println();
        } finally {
            if (root) {
                unbind(directory);
            }
        }
    }

    private static void bind(Path directory, int number) throws Exception {
        StringBuilder script = new StringBuilder();
        for (int i = 0; i < number; i++) {
            Path volume = directory.resolve("volumes");
            String staging = volume + "/staging/ns/volume-" + i + "/mount-1";
            String target = volume + "/publish/ns/volume-" + i + "/web";
            script.append("mount --bind ")
                    .append(staging)
                    .append(' ')
                    .append(staging)
                    .append('\n');
            script.append("mkdir -p ")
                    .append(target)
                    .append("; mount --bind ")
                    .append(target)
                    .append(' ')
                    .append(target)
                    .append('\n');
        }
        shell(script.toString());
    }

    private static void unbind(Path directory) throws Exception {
        StringBuilder script = new StringBuilder();
        MountTable.ofLinux()
                .read()
                .within(directory.toRealPath())
                .forEach(point -> script.append("umount ").append(point).append('\n'));
        shell(script.toString());
    }

    private static void shell(String script) throws Exception {
        Process shell = new ProcessBuilder("sh", "-e")
                .inheritIO()
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .start();
        shell.getOutputStream().write(script.getBytes(StandardCharsets.UTF_8));
        shell.getOutputStream().close();
        if (shell.waitFor() != 0) {
            throw new IOException("mounting failed");
        }
    }

    private static Process agent(String mode, Path directory, int number, Path socket) throws IOException {
        return new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Recovery.class.getName(),
                        mode,
                        directory.toString(),
                        String.valueOf(number),
                        socket.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String readLine(Process process) throws IOException {
        String line =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        if (line == null) {
            throw new IOException("the agent ended before it was done");
        }
        return line;
    }

    /**
     * Runs the agent, which prints a line when all volumes are mounted, and then waits until it is killed.
     *
     * @param arguments the mode, the directory, the number of volumes, the plugin's socket
     * @throws Exception if a mount or the start fails
     */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[1]);
        int number = Integer.parseInt(arguments[2]);
        CsiClient client = CsiClient.connect("unix://" + arguments[3]);
        BenchmarkMounts mounts = new BenchmarkMounts(directory, client);
        long begin = System.nanoTime();
        NodeVolumes volumes = mounts.open(directory.resolve("volumes"), false);
        if (arguments[0].equals("fill")) {
            BenchmarkMounts.mountAll(volumes, number);
        } else {
            // Waits until all volumes are known, mounted and checked once.
            volumes.check().get(60, TimeUnit.SECONDS);
            BenchmarkMounts.mountAll(volumes, number);
            long mounted = volumes.volumes().stream()
                    .flatMap(status -> status.uses().stream())
                    .filter(use -> use.state() == NodeVolumeStatus.State.MOUNTED)
                    .count();
            if (mounted != number) {
                throw new IllegalStateException("only " + mounted + " of " + number + " are mounted");
            }
        }
        System.out.printf("%.2f s%n", (System.nanoTime() - begin) / 1e9);
        System.out.flush();
        while (System.in.read() >= 0) {
            // Waits until this process is killed.
        }
    }
}
