package io.csi4j.testkit.internal.disk;

import io.csi4j.testkit.internal.rule.CallRefusal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs a system command with a time limit. */
final class ProcessCommand {
    private static final int KEPT_BYTES = 8192;

    private ProcessCommand() {}

    /** The result of a command: its exit code, and its output and errors up to a length limit. */
    record Result(int code, String output) {}

    /** Runs a command that must succeed, and returns its output without the last line break. */
    static String run(long seconds, String... command) {
        Result result = attempt(seconds, command);
        if (result.code() != 0) {
            throw CallRefusal.internal("command '" + command[0] + "' failed with code " + result.code() + ": "
                    + result.output().strip());
        }
        return result.output().strip();
    }

    static Result attempt(long seconds, String... command) {
        ProcessBuilder builder = new ProcessBuilder(List.of(command)).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        Process process;
        try {
            process = builder.start();
            process.getOutputStream().close();
        } catch (IOException e) {
            throw CallRefusal.internal("cannot run '" + command[0] + "': " + e.getMessage()
                    + "; install it, and see that it is on the PATH of the plugin");
        }
        CompletableFuture<String> output = new CompletableFuture<>();
        Thread reader = new Thread(() -> read(process.getInputStream(), output), "csi4j-fake-plugin-command");
        reader.setDaemon(true);
        reader.start();
        try {
            String text = output.get(seconds, TimeUnit.SECONDS);
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                throw new TimeoutException();
            }
            return new Result(process.exitValue(), text);
        } catch (TimeoutException e) {
            process.destroyForcibly();
            throw CallRefusal.internal("command '" + command[0] + "' took longer than " + seconds
                    + " s and was killed; find out what it waits for, then call again");
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw CallRefusal.internal("the plugin was stopped while it ran '" + command[0] + "'; call again");
        } catch (ExecutionException e) {
            throw CallRefusal.internal("cannot read the output of '" + command[0] + "': " + e.getCause());
        }
    }

    private static void read(InputStream from, CompletableFuture<String> to) {
        try (from) {
            byte[] kept = from.readNBytes(KEPT_BYTES);
            from.transferTo(java.io.OutputStream.nullOutputStream());
            to.complete(new String(kept, StandardCharsets.UTF_8));
        } catch (IOException e) {
            to.completeExceptionally(e);
        }
    }
}
