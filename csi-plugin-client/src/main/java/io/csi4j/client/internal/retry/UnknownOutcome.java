package io.csi4j.client.internal.retry;

import io.csi4j.core.call.RetryPolicy;
import io.csi4j.core.call.Rpc;

/**
 * A call with an unknown outcome that may have changed something, and the rules for the calls that may follow it (R30). Contains no
 * secrets, because it is kept after the call.
 *
 * @param rpc the RPC
 * @param location the node's id or the path in the call
 * @param identity the fields of the call without its secrets, for comparison
 * @param description the call as text
 * @param since the end of its last attempt, in nanoseconds
 */
record UnknownOutcome(Rpc rpc, String location, Object identity, String description, long since) {
    static UnknownOutcome of(CallTarget call, long now) {
        return new UnknownOutcome(call.rpc(), call.location(), call.identity(), call.description(), now);
    }

    /**
     * Returns whether a call of this RPC can leave an unknown outcome. An RPC that creates an object by name cannot, because its name makes
     * retries idempotent.
     */
    static boolean possible(Rpc rpc) {
        return rpc.retryPolicy() == RetryPolicy.CHANGE;
    }

    /** Returns whether a call has the same fields as this one (R29). */
    boolean sameAs(CallTarget call) {
        return call.rpc() == rpc && call.identity().equals(identity);
    }

    /**
     * Returns whether the given call undoes this one. It must be a call of the opposite RPC, and must concern the same
     * location or all locations.
     */
    boolean undoneBy(CallTarget call) {
        if (rpc.opposite().filter(call.rpc()::equals).isEmpty()) {
            return false;
        }
        String there = call.location();
        return there.isEmpty() || there.equals(location);
    }

    /**
     * Returns whether the given call may follow this one: it only reads, repeats this call, or undoes it. If no RPC
     * undoes this call (an expansion, for example), the volume may also be unpublished, unstaged or deleted. Otherwise
     * an abandoned expansion would prevent the release of the volume.
     */
    boolean allows(CallTarget call) {
        return !call.rpc().changesState()
                || sameAs(call)
                || undoneBy(call)
                || (rpc.opposite().isEmpty() && call.rpc().endsUse());
    }
}
