package io.csi4j.examples.scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Kills random processes, and drains, halts and fences random nodes, while jobs come and go. Checks at the end that
 * nothing has leaked.
 */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Kills servers, agents and plugins at random, drains, loses, fences and replaces nodes, changes clocks, and"
                        + " restores older states, while jobs with volumes come and go. At the end it ends all jobs and proves that nothing is attached, mounted or left at the provider."
                        + " Exit code 0: clean, 1: not clean.")
final class Chaos implements Callable<Integer> {
    private static final Duration RELEASE = Duration.ofMinutes(5);
    private static final long REPORT_NANOS = Duration.ofSeconds(15).toNanos();

    @Option(names = "--minutes", paramLabel = "M", defaultValue = "5", description = "time with faults; default: 5")
    private double minutes = 5;

    @Option(names = "--servers", paramLabel = "N", defaultValue = "1", description = "1 or 3 servers; default: 1")
    private int servers = 1;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "3", description = "nodes; default: 3")
    private int nodes = 3;

    @Option(
            names = "--log",
            paramLabel = "PLACE",
            defaultValue = "FILES",
            description = "where the servers keep their log: files, or postgres, which is started; default: files")
    private LogPlace log = LogPlace.FILES;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description = "decides which faults happen, not when the processes react")
    private long seed = System.nanoTime();

    @Option(names = "--rounds", paramLabel = "N", description = "end after this many rounds, if that is earlier")
    private int rounds = Integer.MAX_VALUE;

    @Option(names = "--driver-command", paramLabel = "CMD", defaultValue = "", description = "as of the scheduler")
    private String driver = "";

    @Option(
            names = "--without",
            paramLabel = "FAULT",
            split = ",",
            description = "leave out faults, for a driver that cannot bear them: ${COMPLETION-CANDIDATES}")
    private EnumSet<ChaosFault> without = EnumSet.noneOf(ChaosFault.class);

    @Override
    public Integer call() throws Exception {
        Path directory = Files.createTempDirectory("csi").toRealPath();
        System.out.println("chaos: seed " + seed + ", directory " + directory);
        AtomicBoolean finished = new AtomicBoolean();
        boolean clean = false;
        ClusterRun run = new ClusterRun(directory, servers, nodes, log, null, new DriverCommand(driver), false);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(run, finished), "csi4j-example-stop"));
        try {
            run.start();
            ChaosActions actions = new ChaosActions(run, new Random(seed), without);
            int done = unleash(actions);
            ChaosReport report = new ChaosReport(run.layout(), actions.counts(), done);
            List<String> leaks = settle(run, actions);
            System.out.println(report.text(leaks));
            clean = leaks.isEmpty();
            return clean ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        } finally {
            finished.set(true);
            if (!clean) {
                run.keepFiles();
                System.out.println("chaos: not clean, so the directory stays; the logs of all processes are in "
                        + run.layout().logs());
            }
            run.close();
        }
    }

    private int unleash(ChaosActions actions) throws IOException {
        long begin = System.nanoTime();
        long end = begin + (long) (minutes * Duration.ofMinutes(1).toNanos());
        long nextReport = begin + REPORT_NANOS;
        int round = 0;
        while (round < rounds && System.nanoTime() < end) {
            round++;
            actions.next();
            if (System.nanoTime() > nextReport) {
                System.out.println("chaos: " + (System.nanoTime() - begin) / 1_000_000_000 + " s, round " + round + ", "
                        + actions.counts());
                nextReport += REPORT_NANOS;
            }
        }
        return round;
    }

    /** Ends the faults and the jobs, and returns what has leaked. */
    private static List<String> settle(ClusterRun run, ChaosActions actions) throws IOException {
        System.out.println("chaos: the faults end; waiting until all volumes are free");
        try {
            actions.end();
            actions.deleteSnapshots();
            run.endJobs(RELEASE, actions::repair);
            actions.awaitAgreement();
        } catch (IOException e) {
            List<String> left = run.remaining();
            if (left.isEmpty()) {
                left.add(String.valueOf(e.getMessage()));
            }
            return left;
        }
        return new LeakCheck(run).check();
    }

    private static void stop(ClusterRun run, AtomicBoolean finished) {
        if (!finished.get()) {
            try {
                System.out.println("chaos: interrupted; stopping without a verdict");
                run.close();
            } catch (IOException | RuntimeException e) {
                System.err.println("chaos: left behind: " + e.getMessage());
            }
        }
    }
}
