package io.csi4j.testkit.sim;

import io.csi4j.core.call.StatusCode;
import java.util.List;
import java.util.SplittableRandom;

/** What goes wrong, by the seed; nothing any more once they are stopped. */
final class Faults {
    /** What becomes of a call. */
    enum Fate {
        /** It is done and answered. */
        ANSWERED,
        /** It is refused, and nothing was done. */
        REFUSED,
        /** It is done, and the answer gets lost. */
        ANSWER_LOST,
        /** Nothing is done, and no answer comes before the deadline. */
        HANGS,
        /** No answer comes before the deadline; it is done after that. */
        DONE_LATE
    }

    private static final List<StatusCode> REFUSALS = List.of(
            StatusCode.CANCELLED,
            StatusCode.UNKNOWN,
            StatusCode.NOT_FOUND,
            StatusCode.PERMISSION_DENIED,
            StatusCode.RESOURCE_EXHAUSTED,
            StatusCode.FAILED_PRECONDITION,
            StatusCode.ABORTED,
            StatusCode.INTERNAL,
            StatusCode.UNAVAILABLE,
            StatusCode.UNAVAILABLE,
            StatusCode.DATA_LOSS,
            StatusCode.UNAUTHENTICATED,
            StatusCode.INVALID_ARGUMENT);

    private final SplittableRandom random;
    private final double rate;
    private boolean stopped;

    Faults(SplittableRandom random, double rate) {
        this.random = random;
        this.rate = rate;
    }

    void stop() {
        stopped = true;
    }

    boolean happen() {
        return !stopped;
    }

    boolean coin() {
        return random.nextBoolean();
    }

    Fate fate() {
        if (stopped || random.nextDouble() >= rate) {
            return Fate.ANSWERED;
        }
        Fate[] fates = Fate.values();
        return fates[1 + random.nextInt(fates.length - 1)];
    }

    StatusCode refusal() {
        return REFUSALS.get(random.nextInt(REFUSALS.size()));
    }

    boolean logFails() {
        return !stopped && random.nextDouble() < rate / 10;
    }
}
