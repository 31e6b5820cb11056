package io.csi4j.examples.lifecycle;

import io.csi4j.examples.walk.StepLog;
import io.csi4j.examples.walk.StepLog.Outcome;
import io.csi4j.examples.walk.Walk;
import java.util.List;

/** The last lines. */
final class Summary {
    private Summary() {}

    /** The program's exit code. */
    static int print(Walk walk, boolean keep, boolean reachedTheEnd) {
        StepLog log = walk.log();
        List<String> leftovers = walk.leftovers();
        log.say("");
        log.say(log.count(Outcome.DONE) + " steps done, " + log.count(Outcome.SKIPPED) + " skipped, "
                + log.count(Outcome.WARNING) + " with a warning, " + log.count(Outcome.FAILED) + " failed.");
        leftovers.forEach(leftover -> log.say("Left behind: " + leftover));
        if (leftovers.isEmpty()) {
            log.say(keep ? "Nothing else is left behind." : "Nothing is left behind.");
        }
        return reachedTheEnd && log.count(Outcome.FAILED) == 0 && leftovers.isEmpty() ? 0 : 1;
    }
}
