package io.csi4j.examples.quickstart;

import io.csi4j.examples.steps.Interruption;
import io.csi4j.examples.steps.StepFailedException;
import io.csi4j.examples.steps.StepLog;
import io.csi4j.examples.steps.StepRunner;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Starts a plugin process, takes one volume through its life, and leaves nothing behind. */
public final class Quickstart {
    private static final int BAD_ARGUMENTS = 2;
    private static final Duration STEP = Duration.ofSeconds(20);

    private final StepRunner steps = new StepRunner(new StepLog(System.out), STEP);
    private final OwnPlugin plugin = new OwnPlugin(steps);

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
            System.out.println("Starts a CSI plugin, and takes a volume from create to delete with it. No options.");
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
            plugin.start();
            Path target = new FirstVolume(plugin.connect(), steps, plugin.directory()).publish();
            plugin.writeAndFind(target);
            succeeded = true;
        } catch (StepFailedException e) {
            System.err.println("quickstart: " + e.step() + " failed: " + e.getMessage());
            System.err.println("What to do: " + plugin.advice());
        }
        steps.end();
        return conclude(succeeded);
    }

    private int conclude(boolean succeeded) {
        List<String> leftovers = plugin.leftovers();
        leftovers.forEach(leftover -> System.err.println("quickstart: left behind: " + leftover));
        if (!succeeded || !leftovers.isEmpty() || steps.log().count(StepLog.Outcome.FAILED) > 0) {
            return 1;
        }
        steps.log().print("");
        steps.log()
                .print(
                        "Proved: a plugin in a separate process created a volume, attached, staged and published it, over a"
                                + System.lineSeparator()
                                + "Unix socket. A file written at the target path was read back, and was found in the provider's"
                                + System.lineSeparator()
                                + "directory. Then each step was undone. Nothing is mounted, running or left on disk.");
        return 0;
    }
}
