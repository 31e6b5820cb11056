package io.csi4j.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** Runs programs of the machine. PostgreSQL refuses to run as root, so that root runs it as another user. */
final class Programs {
    private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

    /** The user without rights of Linux. */
    private static final String USER = "65534";

    private static final long LIMIT_SECONDS = 60;

    private Programs() {}

    static boolean root() {
        return ROOT;
    }

    /** Returns the command which runs a program without the rights of root. */
    static List<String> unprivileged(List<String> command) {
        if (!ROOT) {
            return command;
        }
        List<String> all =
                new ArrayList<>(List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups", "--"));
        all.addAll(command);
        return all;
    }

    /** Gives a file or directory with its content to the user that PostgreSQL runs as. */
    static void giveToServer(Path path) {
        if (ROOT) {
            run("chown", "-R", USER + ":" + USER, path.toString());
        }
    }

    static void copy(Path from, Path to) {
        run("cp", "-a", "--reflink=auto", from.toString(), to.toString());
    }

    /** Copies a directory in which other processes remove files meanwhile. */
    static void copyChanging(Path from, Path to) {
        Status status = status(List.of("cp", "-a", "--reflink=auto", from.toString(), to.toString()));
        if (!status.output.lines().allMatch(line -> line.endsWith("No such file or directory"))) {
            throw new AssertionError("cp " + from + ": " + status.output);
        }
    }

    static void delete(Path path) {
        run("rm", "-rf", path.toString());
    }

    /** Sends a signal to processes; those that have ended get none. */
    static void signal(String signal, LongStream processes) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -s \"$0\" \"$@\" 2> /dev/null", signal));
        processes.mapToObj(Long::toString).forEach(command::add);
        status(command);
    }

    /** Returns whether a program exists and succeeds. */
    static boolean succeeds(String... command) {
        return succeeds(List.of(command));
    }

    /** Returns whether a program exists and succeeds. */
    static boolean succeeds(List<String> command) {
        return status(command).code == 0;
    }

    /** Runs a program that has to succeed. */
    static void run(String... command) {
        run(List.of(command));
    }

    /** Runs a program that has to succeed. */
    static void run(List<String> command) {
        Status status = status(command);
        if (status.code != 0) {
            throw new AssertionError(command + " ended with " + status.code + ": " + status.output);
        }
    }

    private record Status(int code, String output) {}

    private static Status status(List<String> command) {
        try {
            Path output = Files.createTempFile("csi4j-program", ".txt");
            try {
                Process process = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
                if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new AssertionError(command + " did not end within " + LIMIT_SECONDS + " seconds");
                }
                return new Status(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
            } finally {
                Files.deleteIfExists(output);
            }
        } catch (IOException noSuchProgram) {
            return new Status(-1, String.valueOf(noSuchProgram.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(command + " was interrupted", e);
        }
    }

    /** Returns the text of a file; empty if it does not exist. */
    static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
