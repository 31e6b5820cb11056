package io.csi4j.examples.lifecycle;

import io.csi4j.examples.walk.StepLog;
import io.csi4j.examples.walk.StepLog.Outcome;
import io.csi4j.examples.walk.Walk;
import java.util.List;

/** The last lines. */
final class Summary {
    private final Walk walk;
    private final StepLog log;
    private final RunOptions options;

    Summary(Walk walk, RunOptions options) {
        this.walk = walk;
        this.log = walk.log();
        this.options = options;
    }

    /** The program's exit code. */
    int print(boolean reachedTheEnd) {
        log.say("");
        log.say(log.count(Outcome.DONE) + " steps done, " + log.count(Outcome.SKIPPED) + " skipped, "
                + log.count(Outcome.WARNING) + " with a warning, " + log.count(Outcome.FAILED) + " failed.");
        List<String> leftovers = walk.leftovers();
        if (leftovers.isEmpty()) {
            log.say(options.keep() ? "Nothing else is left behind." : "Nothing is left behind.");
        } else {
            leftovers.forEach(leftover -> log.say("Left behind: " + leftover));
            log.say("Once the plugin is well, repeat the same command with " + same()
                    + ": it finds what is left, and takes" + " it back.");
        }
        return reachedTheEnd && log.count(Outcome.FAILED) == 0 && leftovers.isEmpty() ? 0 : 1;
    }

    /** The same name finds the volume (R51), and leads to the same paths. */
    private String same() {
        return options.volumeId().isPresent() ? "the same --volume-id" : "--volume-name " + options.volumeName();
    }
}
