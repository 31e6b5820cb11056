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
            case RETRY_AFTER_CAUSE -> cure(rpc, code) + ", then call again with the same fields.";
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

    private static String cure(Rpc rpc, StatusCode code) {
        return switch (code) {
            case NOT_FOUND ->
                "The plugin knows no such " + missing(rpc) + "; verify at the storage provider that it exists";
            case PERMISSION_DENIED -> "Have the rights granted at the storage provider";
            case RESOURCE_EXHAUSTED -> "Make room: a limit, a quota or the capacity is used up";
            case UNAUTHENTICATED -> "Refresh the secrets";
            case FAILED_PRECONDITION ->
                "Bring the volume into the state that the call needs (see the plugin's words, in the volume's status or in the log)";
            default -> "Cure the cause";
        };
    }

    /** Returns what a call has to find at the plugin, by the CSI specification. */
    private static String missing(Rpc rpc) {
        return switch (rpc) {
            case CONTROLLER_PUBLISH_VOLUME, CONTROLLER_UNPUBLISH_VOLUME -> "volume, or no such node";
            case CREATE_VOLUME -> "source (snapshot or volume) of the new volume";
            case CREATE_SNAPSHOT -> "volume to make a snapshot of";
            case CREATE_VOLUME_GROUP_SNAPSHOT -> "volume, of those to make a snapshot of";
            case DELETE_SNAPSHOT, GET_SNAPSHOT, LIST_SNAPSHOTS, GET_METADATA_ALLOCATED -> "snapshot";
            case GET_METADATA_DELTA -> "snapshot, of the two that are compared";
            case DELETE_VOLUME_GROUP_SNAPSHOT, GET_VOLUME_GROUP_SNAPSHOT -> "group snapshot";
            case NODE_STAGE_VOLUME,
                    NODE_UNSTAGE_VOLUME,
                    NODE_PUBLISH_VOLUME,
                    NODE_UNPUBLISH_VOLUME,
                    NODE_GET_VOLUME_STATS,
                    NODE_GET_VOLUME_HEALTH,
                    NODE_EXPAND_VOLUME -> "volume, or nothing of it at the path";
            default -> "volume";
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
