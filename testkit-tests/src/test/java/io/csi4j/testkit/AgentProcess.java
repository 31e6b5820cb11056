package io.csi4j.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** One run of the agent's program. */
final class AgentProcess {
    private static final String MAIN = "io.csi4j.node.KillAgent";

    final List<String> said = new CopyOnWriteArrayList<>();
    private final Process process;
    private final Map<String, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    AgentProcess(Path directory, Path socket, Path volumes, int checkpoint) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto"));
        command.addAll(List.of(ClassArchive.option()));
        command.addAll(List.of("-cp", ClassArchive.classPath(), MAIN));
        command.addAll(
                List.of(directory.toString(), socket.toString(), volumes.toString(), String.valueOf(checkpoint)));
        this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Thread reader = new Thread(this::read, "agent-output");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                heard(line);
            }
        } catch (IOException e) {
            said.add("reading what it says failed: " + e);
        }
        ready.complete(null);
        ended.complete(null);
        answers.values().forEach(answer -> answer.complete("died"));
    }

    private void heard(String line) {
        said.add(line);
        if (line.equals("ready")) {
            ready.complete(null);
        } else if (line.startsWith("done ") || line.startsWith("failed ")) {
            String command = line.substring(line.indexOf(' ') + 1);
            answers.forEach((sent, answer) -> {
                if (command.equals(sent) || command.startsWith(sent + ":")) {
                    answer.complete(line);
                }
            });
        }
    }

    /** Waits until it obeys, or has died. */
    boolean awaitReady() throws Exception {
        ready.get(5, TimeUnit.MINUTES);
        return isAlive();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** What came of a command: "done ...", "failed ...", or "died". */
    CompletableFuture<String> send(String command) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        answers.put(command, answer);
        if (ended.isDone()) {
            answer.complete("died");
            return answer;
        }
        try {
            process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            // It died meanwhile; what reads its output says so.
            said.add("not sent: " + command);
        }
        return answer;
    }

    /** SIGKILL, in the middle of whatever it does; waits until it is gone and all it said was read. */
    void kill() {
        process.toHandle().destroyForcibly();
        awaitEnd();
    }

    /** Waits until it is gone and all it said was read. */
    void awaitEnd() {
        try {
            process.onExit().get(60, TimeUnit.SECONDS);
            ended.get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("the agent does not end", e);
        }
    }

    /** 137 is the end by SIGKILL. */
    int exitValue() {
        return process.exitValue();
    }

    void endOfInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitEnd();
    }
}
