package io.csi4j.core.call;

/** The rule of every RPC and status code, from CSI's generic table (R33) and the RPC's own table (R34). */
final class DefaultRules {
    private DefaultRules() {}

    static CallRule of(Rpc rpc, StatusCode code, boolean continuesPage) {
        CallOutcome outcome = CallOutcome.of(rpc, code, continuesPage);
        if (code == StatusCode.OK) {
            return CallRule.never(outcome, "done");
        }
        if (outcome == CallOutcome.PAGE_RESTART) {
            return CallRule.never(outcome, source(rpc, code) + ": begin again with an empty token");
        }
        return switch (rpc.retryPolicy()) {
            case WATCHED -> left(outcome, cure(rpc, code), "R41: the prober repeats the call at its own rate");
            case STREAM -> left(outcome, cure(rpc, code), "R102: a resuming stream continues after its last range");
            case READ, LISTING, NAMED, CHANGE -> repeated(rpc, code, outcome);
        };
    }

    private static CallRule left(CallOutcome outcome, String cure, String otherwise) {
        return CallRule.never(outcome, cure.isEmpty() ? otherwise : cure);
    }

    private static CallRule repeated(Rpc rpc, StatusCode code, CallOutcome outcome) {
        return switch (code) {
            case CANCELLED, DEADLINE_EXCEEDED ->
                CallRule.here(
                        outcome,
                        rpc.changesState() ? "R29, R30: the same call continues the work" : "R29: repeat the call");
            case UNAVAILABLE -> CallRule.here(outcome, "R29, R31: the plugin may be restarting");
            case ABORTED -> CallRule.here(outcome, "R26, R33: no call of this client is in flight, so back off");
            case UNKNOWN, INTERNAL ->
                rpc.service() == RpcService.NODE
                        ? CallRule.never(outcome, "R30, R31: a fault of the only instance; the caller decides")
                        : CallRule.elsewhere(outcome, "R29, R31, R38: a fault of this instance");
            case DATA_LOSS -> CallRule.never(outcome, "R31: an operator has to inspect the data first");
            case RESOURCE_EXHAUSTED ->
                rpc.specifies(code).isEmpty()
                        ? CallRule.here(outcome, "R31, R34: no limit of this RPC, so the plugin is busy: back off")
                        : CallRule.never(outcome, cure(rpc, code));
            default -> CallRule.never(outcome, cure(rpc, code));
        };
    }

    /**
     * Returns a text that explains to an operator how to remove the cause of a failure before the call is retried;
     * empty if nothing has to be done.
     */
    private static String cure(Rpc rpc, StatusCode code) {
        String cure = switch (code) {
            case INVALID_ARGUMENT -> "change the request first";
            case NOT_FOUND -> "check first that the object exists";
            case ALREADY_EXISTS -> "the object exists with other properties: change the request first";
            case PERMISSION_DENIED -> "an administrator has to grant rights first";
            case RESOURCE_EXHAUSTED -> "free capacity first";
            case FAILED_PRECONDITION ->
                rpc == Rpc.NODE_EXPAND_VOLUME
                        ? "the volume is in use: must not be repeated"
                        : "bring the object into the right state first";
            case OUT_OF_RANGE -> "change the size or the offset first";
            case UNIMPLEMENTED -> "must not be repeated: read the capabilities again";
            case UNAUTHENTICATED -> "refresh the secrets first";
            case OK, CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, ABORTED, INTERNAL, UNAVAILABLE, DATA_LOSS -> "";
        };
        return cure.isEmpty() ? cure : source(rpc, code) + ": " + cure;
    }

    /**
     * Returns the number of the CSI rule for the status code: a rule of the RPC itself if there is one, and otherwise
     * the generic rule.
     */
    private static String source(Rpc rpc, StatusCode code) {
        String specified = rpc.specifies(code);
        if (!specified.isEmpty()) {
            return specified;
        }
        return switch (code) {
            case INVALID_ARGUMENT, PERMISSION_DENIED, ABORTED, UNIMPLEMENTED, UNAUTHENTICATED -> "R33";
            default -> "R31";
        };
    }
}
