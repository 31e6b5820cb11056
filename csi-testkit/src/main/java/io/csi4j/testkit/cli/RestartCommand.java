package io.csi4j.testkit.cli;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Runs the user's command that kills the plugin and starts it again. */
final class RestartCommand implements Runnable {
    private final String command;

    RestartCommand(String command) {
        this.command = command;
    }

    @Override
    public void run() {
        try {
            int code = new ProcessBuilder("sh", "-c", command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IllegalStateException("the restart command ended with " + code + ": " + command);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run the restart command: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the plugin was restarted", e);
        }
    }
}
