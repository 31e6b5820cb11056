package io.csi4j.client.internal.retry;

import io.csi4j.core.call.Discipline;
import io.csi4j.core.call.Rpc;

/**
 * A change whose outcome is unknown, and who may follow it (R30). Holds no secret: it is kept after its call is over.
 *
 * @param rpc what was called
 * @param place where
 * @param identity its fields, without secrets
 * @param description the call in words
 * @param since when its last try ended, in nanoseconds
 */
record UnknownOutcome(Rpc rpc, String place, Object identity, String description, long since) {
    static UnknownOutcome of(CallTarget call, long now) {
        return new UnknownOutcome(call.rpc(), call.place(), call.identity(), call.description(), now);
    }

    /** Whether a call of this RPC can leave its volume in doubt. What is made by name cannot: the name makes it one. */
    static boolean possible(Rpc rpc) {
        return Discipline.of(rpc) == Discipline.CHANGE;
    }

    /** The same call with the same fields (R29). */
    boolean sameAs(CallTarget call) {
        return call.rpc() == rpc && call.identity().equals(identity);
    }

    /** The call that undoes it, at its place or everywhere; a repeat at all places is undone by no single one. */
    boolean undoneBy(CallTarget call) {
        if (rpc.opposite().filter(call.rpc()::equals).isEmpty()) {
            return false;
        }
        String there = call.place();
        return there.isEmpty() || there.equals(place);
    }

    /**
     * Whether the call may follow. What only reads changes nothing. Where the outstanding call has no opposite, it
     * leaves no doubt about where the volume is attached or mounted, so whoever takes it away may follow too:
     * otherwise an abandoned expansion would keep a volume from ever being released.
     */
    boolean lets(CallTarget call) {
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
