package io.csi4j.client.internal.retry;

import io.csi4j.core.call.RetryPolicy;
import io.csi4j.core.call.Rpc;

/**
 * A change with an unknown outcome, and the rules for calls that may follow it (R30). Has no secret, because it is kept after the call.
 *
 * @param rpc the RPC
 * @param location the place of the call
 * @param identity its fields, without secrets
 * @param description the call as text
 * @param since the end of its last attempt, in nanoseconds
 */
record UnknownOutcome(Rpc rpc, String location, Object identity, String description, long since) {
    static UnknownOutcome of(CallTarget call, long now) {
        return new UnknownOutcome(call.rpc(), call.location(), call.identity(), call.description(), now);
    }

    /**
     * Returns whether a call of this RPC can leave an unknown outcome; not if it creates by name, because the name makes repeats idempotent.
     */
    static boolean possible(Rpc rpc) {
        return RetryPolicy.of(rpc) == RetryPolicy.CHANGE;
    }

    /** Returns whether the call has the same fields (R29). */
    boolean sameAs(CallTarget call) {
        return call.rpc() == rpc && call.identity().equals(identity);
    }

    /**
     * Returns whether the call undoes this one, at the same place or everywhere; a call for all places cannot be undone by one for a single place.
     */
    boolean undoneBy(CallTarget call) {
        if (rpc.opposite().filter(call.rpc()::equals).isEmpty()) {
            return false;
        }
        String there = call.location();
        return there.isEmpty() || there.equals(location);
    }

    /**
     * Returns whether a call may follow. A call that only reads may. If this call has no opposite, it does not concern where the volume is attached or mounted, so unpublishing may follow;
     * otherwise an abandoned expansion would keep a volume from being released.
     */
    boolean allows(CallTarget call) {
        return !call.rpc().changesState()
                || sameAs(call)
                || undoneBy(call)
                || (rpc.opposite().isEmpty() && takesAway(call.rpc()));
    }

    private static boolean takesAway(Rpc rpc) {
        return switch (rpc) {
            case DELETE_VOLUME, CONTROLLER_UNPUBLISH_VOLUME, NODE_UNPUBLISH_VOLUME, NODE_UNSTAGE_VOLUME -> true;
            default -> false;
        };
    }
}
