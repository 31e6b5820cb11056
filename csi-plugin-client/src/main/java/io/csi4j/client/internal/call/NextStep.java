package io.csi4j.client.internal.call;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;

/** The part of an error message that advises an operator or a program on the next step after a failed call (R33). */
final class NextStep {
    private NextStep() {}

    static String after(Rpc rpc, StatusCode code, CallOutcome outcome) {
        return switch (outcome) {
            case DONE -> "Nothing more is to be done.";
            case OUTCOME_UNKNOWN -> unknown(rpc, code);
            case RETRY_AFTER_CAUSE -> cure(code) + ", then call again with the same fields.";
            case CHANGE_REQUEST -> change(code) + ": the same request will never succeed.";
            case NEVER ->
                code == StatusCode.UNIMPLEMENTED
                        ? "Do not repeat it: the plugin has no such RPC in this mode; read its capabilities again."
                        : "Do not repeat it while the volume is in use.";
            case PAGE_RESTART -> "Begin the listing again with an empty token.";
        };
    }

    private static String unknown(Rpc rpc, StatusCode code) {
        String pending = code == StatusCode.ABORTED ? "Another operation is pending for it. " : "";
        if (!rpc.changesState()) {
            return pending + "Nothing was changed by it; ask again.";
        }
        if (rpc == Rpc.CREATE_VOLUME) {
            return pending + "Whether the volume was made is unknown, and may change yet: call again with the same"
                    + " name and fields.";
        }
        return pending + "Whether it took effect is unknown, and may change yet: call again with the same fields"
                + rpc.opposite()
                        .map(undo -> ", or undo it with " + undo.csiName() + ".")
                        .orElse(".");
    }

    private static String cure(StatusCode code) {
        return switch (code) {
            case NOT_FOUND -> "Verify that the volume, node, snapshot or source exists";
            case PERMISSION_DENIED -> "Have the rights granted at the storage provider";
            case RESOURCE_EXHAUSTED -> "Make room: a limit, a quota or the capacity is used up";
            case UNAUTHENTICATED -> "Refresh the secrets";
            case FAILED_PRECONDITION -> "Bring the volume into the state that the call needs (see the plugin's words)";
            default -> "Cure the cause";
        };
    }

    private static String change(StatusCode code) {
        return switch (code) {
            case ALREADY_EXISTS -> "It exists with other properties; change the arguments or the name";
            case OUT_OF_RANGE -> "Change the size or the offset";
            default -> "Change the request";
        };
    }
}
