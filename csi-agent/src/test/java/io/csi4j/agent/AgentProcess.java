package io.csi4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An agent as a process of its own, to be killed. It ends when its input does, so it never outlives the tests. */
final class AgentProcess implements AutoCloseable {
    private final Process process;
    private final OutputStream in;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    private AgentProcess(Process process) {
        this.process = process;
        this.in = process.getOutputStream();
        Thread reader = new Thread(this::read, "agent-process-output");
        reader.setDaemon(true);
        reader.start();
    }

    static AgentProcess start(Path directory, Endpoint listen, Endpoint servers) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:-BytecodeVerificationRemote",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        directory.toString(),
                        listen.toString(),
                        servers.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        AgentProcess agent = new AgentProcess(process);
        assertThat(agent.next()).isEqualTo("started");
        return agent;
    }

    private void read() {
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                said.add(line);
            }
        } catch (IOException killed) {
            // It says no more.
        }
    }

    private String next() throws InterruptedException {
        String line = said.poll(90, TimeUnit.SECONDS);
        assertThat(line).as("the agent prints a line").isNotNull();
        return line;
    }

    void report(String command) throws IOException {
        in.write((command + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
    }

    String ask(String command) throws Exception {
        report(command);
        return next();
    }

    /** SIGKILL, in the middle of whatever it does; returns when it is gone. */
    void kill() {
        process.destroyForcibly().onExit().orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        kill();
    }

    /** The program. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            NodeAgent agent = NodeAgent.builder(Ground.NODE, Path.of(arguments[0]))
                    .listen(Endpoint.parse(arguments[1]))
                    .servers(List.of(Endpoint.parse(arguments[2])))
                    .volumeOptions(Ground.withoutMounts())
                    .start();
            PrintStream out = System.out;
            out.println("started");
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ", -1);
                PluginTask task = PluginTask.onHost(Ground.MONOLITH);
                switch (words[0]) {
                    case "prepare-plugin" ->
                        out.println(agent.preparePlugin(task).registration().socket());
                    case "plugin-started" ->
                        out.println(agent.pluginStarted(task).join());
                    case "prepare" -> {
                        var unused = agent.prepare(
                                        AllocationId.of(words[1]),
                                        List.of(Ground.writing(VolumeKey.of("default", words[2]))))
                                .whenComplete((mounted, failure) -> out.println(
                                        failure == null ? mounted.get(0).targetPath() : "failed: " + failure));
                    }
                    case "teardown" -> {
                        var unused = agent.teardown(AllocationId.of(words[1]), Duration.ofSeconds(30))
                                .thenAccept(torn -> out.println(torn.left()));
                    }
                    default -> throw new IllegalArgumentException(line);
                }
            }
            System.exit(0);
        }
    }
}
