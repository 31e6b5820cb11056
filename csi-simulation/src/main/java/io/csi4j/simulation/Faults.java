package io.csi4j.simulation;

import io.csi4j.core.call.StatusCode;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

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

    /** All there are; UNAVAILABLE is what goes on most. */
    private static final List<StatusCode> REFUSALS = Stream.concat(
                    Stream.of(StatusCode.values()).filter(code -> code != StatusCode.OK),
                    Stream.of(StatusCode.UNAVAILABLE, StatusCode.UNAVAILABLE))
            .toList();

    /** What says nothing about whether it was done. */
    private static final List<StatusCode> UNCLEAR_FAILURES = List.of(
            StatusCode.UNAVAILABLE,
            StatusCode.DEADLINE_EXCEEDED,
            StatusCode.UNAVAILABLE,
            StatusCode.DEADLINE_EXCEEDED,
            StatusCode.CANCELLED,
            StatusCode.UNKNOWN,
            StatusCode.INTERNAL,
            StatusCode.ABORTED,
            StatusCode.DATA_LOSS);

    private final SplittableRandom random;
    private final double rate;
    private boolean stopped;
    private boolean logStillFails;

    Faults(SplittableRandom random, double rate) {
        this.random = random;
        this.rate = rate;
    }

    void stop() {
        stopped = true;
    }

    /** The log alone goes on losing commands and answers, and more of them than before; or no more. */
    void logStillFails(boolean fails) {
        logStillFails = fails;
    }

    boolean logStillFails() {
        return logStillFails;
    }

    boolean active() {
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

    /** How a call ends that was done, and whose answer got lost. */
    StatusCode unclearFailure() {
        return UNCLEAR_FAILURES.get(random.nextInt(UNCLEAR_FAILURES.size()));
    }

    /** Whether a command takes its time, and nobody hears of it. */
    boolean logDelays() {
        return !stopped && random.nextDouble() < rate / 20;
    }

    /** Whether the secrets of a call never come. */
    boolean secretsHang() {
        return !stopped && random.nextDouble() < rate / 20;
    }

    /** Whether a volume is made where nobody asked for it. */
    boolean wrongTopology() {
        return !stopped && random.nextDouble() < rate / 2;
    }

    /** Whether the provider does not know a token any more. */
    boolean tokenExpired() {
        return !stopped && random.nextDouble() < rate / 5;
    }

    boolean logFails() {
        if (stopped) {
            return logStillFails && random.nextDouble() < rate;
        }
        return random.nextDouble() < rate / 10;
    }
}
