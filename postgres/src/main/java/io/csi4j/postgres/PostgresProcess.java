package io.csi4j.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/** A running server of PostgreSQL: one process for the server, and one for each connection and duty. */
final class PostgresProcess {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final long POLL = 2_000_000;

    /** Ends the server and deletes its files when this JVM ends in any way: then the input of this program ends. */
    private static final String WATCH = """
            cat > /dev/null
            kill -s CONT "$0"
            kill -s QUIT "$0"
            while kill -s 0 "$0"; do sleep 0.1; done
            [ -n "$2" ] || { umount -l "$1/disk"; rm -rf "$1"; }
            """;

    private final Process server;
    private final Process watch;
    private final Path data;
    private final Path log;

    private PostgresProcess(Process server, Process watch, Path data, Path log) {
        this.server = server;
        this.watch = watch;
        this.data = data;
        this.log = log;
    }

    /**
     * Starts a server and returns when it accepts connections.
     *
     * @param directory the directory with all its files; it is deleted when this JVM ends
     * @param data the directory of its data
     * @param keeps whether the files stay when this JVM ends
     */
    static PostgresProcess start(Path program, Path directory, Path data, Map<String, String> settings, boolean keeps) {
        Path log = directory.resolve("log");
        List<String> command = new ArrayList<>(List.of(program.toString(), "-D", data.toString()));
        settings.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
        try {
            Process server = new ProcessBuilder(Programs.unprivileged(command))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            Process watch = new ProcessBuilder(
                            "sh", "-c", WATCH, Long.toString(server.pid()), directory.toString(), keeps ? "keeps" : "")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            PostgresProcess process = new PostgresProcess(server, watch, data, log);
            process.awaitReady();
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitReady() {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!ready()) {
            if (!server.isAlive() || System.nanoTime() - deadline > 0) {
                kill();
                throw new AssertionError("PostgreSQL did not start: " + Programs.text(log));
            }
            LockSupport.parkNanos(POLL);
        }
    }

    /** The server writes its process id into the first line of a file, and its state into the last one. */
    private boolean ready() {
        String state = Programs.text(data.resolve("postmaster.pid")).stripTrailing();
        return state.startsWith(server.pid() + "\n") && state.endsWith("\nready");
    }

    boolean alive() {
        return server.isAlive();
    }

    /** Ends all connections and the server, with a checkpoint. */
    void stop() {
        end("INT");
    }

    /** Ends the server at once; the next start recovers its data. It leaves no shared memory, in contrast to a kill. */
    void abort() {
        end("QUIT");
    }

    private void end(String signal) {
        resume();
        Programs.signal(signal, LongStream.of(server.pid()));
        if (!ended()) {
            kill();
            throw new AssertionError("PostgreSQL did not stop within " + LIMIT + ": " + Programs.text(log));
        }
        watch.destroyForcibly();
    }

    private boolean ended() {
        try {
            return server.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Kills the server and all its processes. */
    void kill() {
        pause();
        List<ProcessHandle> all = processes();
        all.forEach(ProcessHandle::destroyForcibly);
        Conditions.await("all processes have ended", () -> all.stream().allMatch(PostgresProcess::ended));
        // A restart asks the JVM whether the server still runs, and the JVM reads its end a moment later.
        if (!ended()) {
            throw new AssertionError("the end of PostgreSQL was not read within " + LIMIT);
        }
        watch.destroyForcibly();
        removeSharedMemory();
    }

    /** An ended process stays in the table of processes, as Z, until its parent has read its end. */
    private static boolean ended(ProcessHandle process) {
        return !process.isAlive()
                || Programs.text(Path.of("/proc", Long.toString(process.pid()), "stat"))
                        .contains(") Z ");
    }

    /** A killed server leaves the memory with which it notices processes that still run. Its id is in the seventh line. */
    private void removeSharedMemory() {
        List<String> lines =
                Programs.text(data.resolve("postmaster.pid")).lines().toList();
        String[] memory =
                lines.size() < 7 ? new String[0] : lines.get(6).strip().split(" +");
        if (memory.length == 2) {
            Programs.succeeds("ipcrm", "-m", memory[1]);
        }
    }

    /** Stops all processes where they are. The first one stops first, so that it begins no other. */
    void pause() {
        Programs.signal("STOP", LongStream.of(server.pid()));
        Programs.signal("STOP", processes().stream().mapToLong(ProcessHandle::pid));
    }

    void resume() {
        Programs.signal("CONT", processes().stream().mapToLong(ProcessHandle::pid));
    }

    private List<ProcessHandle> processes() {
        List<ProcessHandle> all = new ArrayList<>(server.descendants().toList());
        all.add(server.toHandle());
        return all;
    }
}
