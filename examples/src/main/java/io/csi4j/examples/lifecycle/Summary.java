package io.csi4j.examples.lifecycle;

import io.csi4j.examples.steps.StepLog;
import io.csi4j.examples.steps.StepLog.Outcome;
import io.csi4j.examples.steps.StepRunner;
import java.util.List;

/** Prints the last lines of the output. */
final class Summary {
    private final StepRunner steps;
    private final StepLog log;
    private final RunOptions options;

    Summary(StepRunner steps, RunOptions options) {
        this.steps = steps;
        this.log = steps.log();
        this.options = options;
    }

    /** Prints the summary and returns the program's exit code. */
    int print(boolean completed) {
        log.print("");
        log.print(log.count(Outcome.DONE) + " steps done, " + log.count(Outcome.SKIPPED) + " skipped, "
                + log.count(Outcome.WARNING) + " with a warning, " + log.count(Outcome.FAILED) + " failed.");
        List<String> leftovers = steps.leftovers();
        if (leftovers.isEmpty()) {
            log.print(options.keep() ? "Nothing else is left behind." : "Nothing is left behind.");
        } else {
            leftovers.forEach(leftover -> log.print("Left behind: " + leftover));
            log.print("Once the plugin is well, repeat the same command with " + volumeOption()
                    + ": it finds the remains and removes them.");
        }
        return completed && log.count(Outcome.FAILED) == 0 && leftovers.isEmpty() ? 0 : 1;
    }

    /** The option with which a repeated command finds the same volume and paths (R51). */
    private String volumeOption() {
        return options.volumeId().isPresent() ? "the same --volume-id" : "--volume-name " + options.volumeName();
    }
}
