package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.examples.steps.StepFailedException;
import io.csi4j.examples.steps.StepLog;
import io.csi4j.examples.steps.StepRunner;
import java.nio.file.Path;

/** The objects that all steps need. */
record Session(RunOptions options, Plugin plugin, Capabilities capabilities, StepRunner steps, Path directory) {
    StepLog log() {
        return steps.log();
    }

    /** Prints the line of a skipped step, once for each step and reason. */
    void skip(String step, String reason) {
        log().skipped(step, reason);
    }

    /** Prints a line with a warning. */
    void warn(String step, String text) {
        log().executed(step, StepLog.Outcome.WARNING, 0, text);
    }

    /** Whether the controller has the capability; if not, prints a line for the skipped step (R44). */
    boolean offers(ControllerCapability capability, Rpc rpc) {
        return offers(capabilities.has(capability), "no " + capability, rpc);
    }

    /** Whether the node has the capability; if not, prints a line for the skipped step (R44). */
    boolean offers(NodeCapability capability, Rpc rpc) {
        return offers(capabilities.has(capability), "no " + capability + " at the node", rpc);
    }

    private boolean offers(boolean offered, String reason, Rpc rpc) {
        if (!offered) {
            skip(rpc.csiName(), reason);
        }
        return offered;
    }

    /**
     * Runs steps that the run can do without. If one fails, their effects are undone and the run continues, unless the plugin is
     * unreachable.
     */
    void optional(Runnable work) {
        int mark = steps.mark();
        try {
            work.run();
        } catch (StepFailedException e) {
            steps.undoTo(mark);
            if (e.code().filter(Session::mayBeUnreachable).isPresent() && !plugin.isReachable()) {
                throw e;
            }
            return;
        }
        steps.undoTo(mark);
    }

    private static boolean mayBeUnreachable(StatusCode code) {
        return code == StatusCode.UNAVAILABLE || code == StatusCode.DEADLINE_EXCEEDED;
    }
}
