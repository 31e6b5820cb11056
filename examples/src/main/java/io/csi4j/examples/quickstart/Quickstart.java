package io.csi4j.examples.quickstart;

import io.csi4j.examples.steps.Interruption;
import io.csi4j.examples.steps.StepFailedException;
import io.csi4j.examples.steps.StepLog;
import io.csi4j.examples.steps.StepRunner;
import java.time.Duration;
import java.util.List;

/**
 * Takes a volume through its life with a durable server and a plugin process, kills the server in the middle, and leaves nothing behind.
 */
public final class Quickstart {
    private static final int BAD_ARGUMENTS = 2;
    private static final Duration STEP = Duration.ofSeconds(20);

    private final StepRunner steps = new StepRunner(new StepLog(System.out), STEP);
    private final QuickstartRun run = new QuickstartRun(steps);

    private Quickstart() {}

    /**
     * Runs the program. It exits with 0 if all steps succeeded, 1 if one failed, 2 if there are arguments, and 130 or 143 after
     * Ctrl-C or SIGTERM.
     *
     * @param args none
     */
    public static void main(String[] args) {
        if (List.of(args).contains("--help")) {
            System.out.println("Usage: examples/run quickstart");
            System.out.println(
                    "Starts a durable server and a CSI plugin, takes a volume from create to delete, and kills the server"
                            + " in the middle. No options.");
            return;
        }
        if (args.length > 0) {
            System.err.println(
                    "quickstart: takes no arguments; for a plugin of your own: examples/run lifecycle --help");
            System.exit(BAD_ARGUMENTS);
        }
        System.exit(new Quickstart().run());
    }

    private int run() {
        Interruption.watch(steps);
        boolean succeeded = false;
        try {
            run.run();
            succeeded = true;
        } catch (StepFailedException e) {
            System.err.println("quickstart: " + e.step() + " failed: " + e.getMessage());
            System.err.println("What to do: " + run.advice());
        }
        steps.end();
        return conclude(succeeded);
    }

    private int conclude(boolean succeeded) {
        List<String> leftovers = run.leftovers();
        leftovers.forEach(leftover -> System.err.println("quickstart: left behind: " + leftover));
        if (!succeeded || !leftovers.isEmpty() || steps.log().count(StepLog.Outcome.FAILED) > 0) {
            return 1;
        }
        steps.log().print("");
        steps.log()
                .print(
                        "Proved: a volume was created, claimed for an allocation and mounted through a plugin in a process"
                                + System.lineSeparator()
                                + "of its own. The server was killed with SIGKILL and started again: it still knew the claim, the"
                                + System.lineSeparator()
                                + "mount was never interrupted, and it unmounted, freed and deleted the volume. Nothing is mounted,"
                                + System.lineSeparator()
                                + "running or on disk.");
        return 0;
    }
}
