package io.csi4j.node.internal.mount;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.node.NodeVolumeException;
import java.io.IOException;

/** Classifies the failures of calls on the node. */
public final class NodeFailures {
    private NodeFailures() {}

    /** Returns whether a failure is permanent, so that a retry cannot succeed. */
    public static boolean permanent(Throwable error) {
        if (error instanceof CsiCallException call) {
            return call.outcome() == CallOutcome.CHANGE_REQUEST || call.outcome() == CallOutcome.NEVER;
        }
        return error instanceof CsiRequestException || error instanceof NodeVolumeException;
    }

    /** Returns whether the call may have taken effect, or may still take effect (R30). */
    public static boolean outcomeUnknown(Throwable error) {
        if (error instanceof CsiCallException call) {
            return call.outcome() == CallOutcome.OUTCOME_UNKNOWN;
        }
        return !(error instanceof CsiException || error instanceof IOException);
    }

    /**
     * Returns whether the plugin answered a call with a refusal. A call without an answer, or one that meets another call
     * of the volume, may still take effect.
     */
    public static boolean refused(Throwable error) {
        return error instanceof CsiCallException call
                && switch (call.code()) {
                    case OK, CANCELLED, DEADLINE_EXCEEDED, ABORTED, UNAVAILABLE -> false;
                    default -> true;
                };
    }

    public static boolean notFound(Throwable error) {
        return error instanceof CsiCallException call && call.code() == StatusCode.NOT_FOUND;
    }

    /** Returns whether the plugin has no room for the volume. */
    public static boolean noRoom(Throwable error) {
        return error instanceof CsiCallException call
                && call.code() == StatusCode.RESOURCE_EXHAUSTED
                && call.outcome() != CallOutcome.OUTCOME_UNKNOWN;
    }

    public static boolean unauthenticated(Throwable error) {
        return error instanceof CsiCallException call && call.code() == StatusCode.UNAUTHENTICATED;
    }

    /**
     * Returns a text about a failure for operators. The message of an exception of another library is left out, because it may contain
     * secrets.
     */
    public static String text(Throwable error) {
        if (error instanceof CsiException || error instanceof IOException) {
            return String.valueOf(error.getMessage());
        }
        return "it failed with " + error.getClass().getName();
    }
}
