package io.csi4j.testkit.cli;

import io.csi4j.testkit.conformance.CheckInfo;
import io.csi4j.testkit.conformance.ConformanceReport;
import io.csi4j.testkit.conformance.CsiConformance;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Checks a CSI plugin in any language from the command line. */
public final class ConformanceMain {
    private static final int CHECK_FAILED = 1;
    private static final int WRONG_ARGUMENTS = 2;
    private static final int NOT_REACHABLE = 3;
    private static final int INTERRUPTED = 130;
    private static final long CLEAN_UP_SECONDS = 60;

    private ConformanceMain() {}

    /** The entry point; {@code --help} lists the arguments and the exit codes. */
    public static void main(String[] args) {
        System.exit(run(List.of(args), System.out, System.err, ConformanceMain::stopOnSignal));
    }

    /**
     * Runs the program and returns its exit code. Unlike {@link #main}, it does not end the process.
     *
     * @param signals receives the run, so that a signal handler can stop it
     */
    static int run(List<String> args, PrintStream out, PrintStream err, Consumer<Interruptible> signals) {
        ConformanceArguments options;
        CsiConformance conformance;
        @Nullable PluginCommand plugin;
        try {
            options = ConformanceArguments.parse(args);
            switch (options.action()) {
                case HELP -> out.print(ConformanceHelp.TEXT);
                case LIST -> CsiConformance.allChecks().forEach(check -> list(out, check));
                default -> {}
            }
            if (options.action() != ConformanceArguments.Action.RUN) {
                out.flush();
                return 0;
            }
            plugin = options.plugin();
            conformance = options.conformance(plugin);
            if (conformance.checks().isEmpty()) {
                throw new UsageException("--only and --skip leave no check; --list has the ids");
            }
        } catch (UsageException | IllegalArgumentException e) {
            err.println("csi-conformance: " + e.getMessage());
            return WRONG_ARGUMENTS;
        }
        @Nullable String problem = Preflight.directoryProblem(options.workDirectory());
        if (problem != null) {
            err.println("csi-conformance: " + problem);
            return WRONG_ARGUMENTS;
        }
        @Nullable String missing = Preflight.missingRight(Path.of("/proc/self/status"));
        if (missing != null) {
            err.println("csi-conformance: note: " + missing);
        }
        try (plugin) {
            if (plugin != null) {
                plugin.start();
            }
            for (Path socket : options.sockets()) {
                @Nullable String unreachable = Preflight.socketProblem(socket);
                if (unreachable != null) {
                    err.println("csi-conformance: " + unreachable);
                    return NOT_REACHABLE;
                }
            }
            return run(conformance, options, out, err, signals);
        } catch (UncheckedIOException e) {
            err.println("csi-conformance: " + e.getMessage());
            return NOT_REACHABLE;
        }
    }

    private static int run(
            CsiConformance conformance,
            ConformanceArguments options,
            PrintStream out,
            PrintStream err,
            Consumer<Interruptible> signals) {
        Interruptible run = new Interruptible(conformance);
        signals.accept(run);
        try {
            ConformanceReport report = conformance.run(new ProgressPrinter(out, options.showsSteps()));
            write(report, options, out);
            ProgressPrinter.summary(report, out);
            return report.completed() ? (report.passed() ? 0 : CHECK_FAILED) : INTERRUPTED;
        } catch (IOException e) {
            err.println("csi-conformance: cannot write the report: " + e + "; choose another --report-dir");
            return WRONG_ARGUMENTS;
        } finally {
            run.ended();
        }
    }

    private static void list(PrintStream out, CheckInfo check) {
        out.println(String.format("%-40s  %-12s  %s", check.id(), String.join(",", check.rules()), check.title()));
    }

    private static void write(ConformanceReport report, ConformanceArguments options, PrintStream out)
            throws IOException {
        for (String format : options.reports()) {
            Path file = options.reportDirectory()
                    .resolve(format.equals("html") ? "csi-conformance.html" : "TEST-csi-conformance.xml");
            Files.createDirectories(options.reportDirectory());
            Files.writeString(file, format.equals("html") ? report.toHtml() : report.toJUnitXml());
            out.println("Report: " + file);
        }
    }

    static void stopOnSignal(Interruptible run) {
        Runtime.getRuntime().addShutdownHook(new Thread(run::interrupt, "csi4j-conformance-interrupted"));
    }

    /** A conformance run that a signal may interrupt; the process ends only after the run has cleaned up. */
    static final class Interruptible {
        private final CsiConformance conformance;
        private final CountDownLatch end = new CountDownLatch(1);

        Interruptible(CsiConformance conformance) {
            this.conformance = conformance;
        }

        void ended() {
            end.countDown();
        }

        /** Stops the run and waits until it has cleaned up; has no effect if the run has ended. */
        void interrupt() {
            if (end.getCount() == 0) {
                return;
            }
            conformance.stop();
            try {
                if (!end.await(CLEAN_UP_SECONDS, TimeUnit.SECONDS)) {
                    System.err.println("csi-conformance: the clean-up does not end; remove what is left by hand");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
