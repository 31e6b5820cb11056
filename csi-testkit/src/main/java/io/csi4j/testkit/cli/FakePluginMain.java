package io.csi4j.testkit.cli;

import io.csi4j.testkit.FakeCsiPlugin;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Runs a fake plugin until its process is ended. */
public final class FakePluginMain {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int CANNOT_START = 1;
    private static final int WRONG_ARGUMENTS = 2;

    private FakePluginMain() {}

    /** The entry point; {@code --help} lists the arguments. */
    public static void main(String[] args) {
        int code = run(args, System.getenv("CSI_ENDPOINT"), System.out, System.err);
        System.exit(code);
    }

    static int run(String[] args, @Nullable String endpoint, PrintStream out, PrintStream err) {
        PluginArguments options;
        FakeCsiPlugin plugin;
        try {
            options = PluginArguments.parse(args, endpoint);
            switch (options.action()) {
                case HELP -> out.print(Help.text());
                case VERSION -> out.println(Help.version());
                case LIST_CAPABILITIES -> out.print(Help.capabilities());
                default -> {}
            }
            if (options.action() != PluginArguments.Action.SERVE) {
                out.flush();
                return 0;
            }
            plugin = options.plugin();
            plugin.startOn(options.endpoint());
        } catch (UsageException | IllegalArgumentException e) {
            err.println("csi4j fake plugin: " + e.getMessage());
            return WRONG_ARGUMENTS;
        } catch (RuntimeException e) {
            err.println("csi4j fake plugin: " + e.getMessage());
            return CANNOT_START;
        }
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> plugin.stop(PATIENCE).close(), "csi4j-fake-plugin-shutdown"));
        out.println("listening on " + plugin.endpoint());
        out.flush();
        waitForTheEnd(options.exitOnStdinEof(), err);
        return 0;
    }

    private static void waitForTheEnd(boolean exitOnStdinEof, PrintStream err) {
        if (exitOnStdinEof) {
            try {
                System.in.transferTo(java.io.OutputStream.nullOutputStream());
            } catch (IOException e) {
                err.println("csi4j fake plugin: standard input failed, so the plugin ends: " + e);
            }
            return;
        }
        try {
            new CountDownLatch(1).await(); // waits forever; a signal ends the process
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
