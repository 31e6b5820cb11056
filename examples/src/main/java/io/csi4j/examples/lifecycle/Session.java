package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.examples.walk.StepFailedException;
import io.csi4j.examples.walk.StepLog;
import io.csi4j.examples.walk.Walk;
import java.nio.file.Path;

/** What every part of the program needs. */
record Session(RunOptions options, Plugin plugin, Facts facts, Walk walk, Path directory) {
    StepLog log() {
        return walk.log();
    }

    /** A line for a step that is not tried; once for each step and reason. */
    void skip(String step, String why) {
        log().skipped(step, why);
    }

    /** A line for a result that somebody should look at. */
    void warn(String step, String what) {
        log().tried(step, StepLog.Outcome.WARNING, 0, what);
    }

    /** Whether the controller has a step; if not, the log says so (R44). */
    boolean offers(ControllerCapability capability, Rpc rpc) {
        return offers(facts.has(capability), "no " + capability, rpc);
    }

    /** Whether the node has a step; if not, the log says so (R44). */
    boolean offers(NodeCapability capability, Rpc rpc) {
        return offers(facts.has(capability), "no " + capability + " at the node", rpc);
    }

    private boolean offers(boolean offered, String why, Rpc rpc) {
        if (!offered) {
            skip(rpc.csiName(), why);
        }
        return offered;
    }

    /**
     * Steps that the walk can do without. If one fails, what they did is taken back and the walk goes on,
     * unless the plugin is lost.
     */
    void extra(Runnable steps) {
        int here = walk.here();
        try {
            steps.run();
        } catch (StepFailedException e) {
            walk.backTo(here);
            if (e.code().filter(Session::mayBeLost).isPresent() && !plugin.answers()) {
                throw e;
            }
            return;
        }
        walk.backTo(here);
    }

    private static boolean mayBeLost(StatusCode code) {
        return code == StatusCode.UNAVAILABLE || code == StatusCode.DEADLINE_EXCEEDED;
    }
}
