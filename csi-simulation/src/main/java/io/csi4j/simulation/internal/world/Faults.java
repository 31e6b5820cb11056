package io.csi4j.simulation.internal.world;

import io.csi4j.core.call.StatusCode;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Decides by the seed which calls and commands fail; none fail after {@link #stop}. */
public final class Faults {
    /** The result of a call. */
    public enum Fate {
        /** The call is done and answered. */
        ANSWERED,
        /** The call is refused without effect. */
        REFUSED,
        /** The call is done, but its answer is lost. */
        ANSWER_LOST,
        /** The call has no effect, and no answer comes before the deadline. */
        HANGS,
        /** No answer comes before the deadline; the call is done after the deadline. */
        DONE_LATE
    }

    /** All failure codes; UNAVAILABLE is the most frequent. */
    private static final List<StatusCode> REFUSALS = Stream.concat(
                    Stream.of(StatusCode.values()).filter(code -> code != StatusCode.OK),
                    Stream.of(StatusCode.UNAVAILABLE, StatusCode.UNAVAILABLE))
            .toList();

    /**
     * Codes that leave open whether the call was done. RESOURCE_EXHAUSTED is one of them: a provider may limit the
     * requests of a plugin after the call had its effect.
     */
    private static final List<StatusCode> UNCLEAR_FAILURES = List.of(
            StatusCode.UNAVAILABLE,
            StatusCode.DEADLINE_EXCEEDED,
            StatusCode.UNAVAILABLE,
            StatusCode.DEADLINE_EXCEEDED,
            StatusCode.CANCELLED,
            StatusCode.UNKNOWN,
            StatusCode.INTERNAL,
            StatusCode.ABORTED,
            StatusCode.RESOURCE_EXHAUSTED,
            StatusCode.DATA_LOSS);

    private static final int MAX_CRASH_POINT = 120;

    private final SplittableRandom random;
    private final double rate;
    private boolean stopped;
    private boolean logStillFails;

    public Faults(SplittableRandom random, double rate) {
        this.random = random;
        this.rate = rate;
    }

    public void stop() {
        stopped = true;
    }

    /**
     * Sets whether the log still loses commands and answers after {@link #stop}. If it does, it loses them more often
     * than before the stop.
     */
    public void logStillFails(boolean fails) {
        logStillFails = fails;
    }

    public boolean logStillFails() {
        return logStillFails;
    }

    public boolean active() {
        return !stopped;
    }

    public boolean coin() {
        return random.nextBoolean();
    }

    public Fate fate() {
        if (stopped || random.nextDouble() >= rate) {
            return Fate.ANSWERED;
        }
        Fate[] fates = Fate.values();
        return fates[1 + random.nextInt(fates.length - 1)];
    }

    public StatusCode refusal() {
        return REFUSALS.get(random.nextInt(REFUSALS.size()));
    }

    /** The status code of a call that was done, but whose answer was lost. */
    public StatusCode unclearFailure() {
        return UNCLEAR_FAILURES.get(random.nextInt(UNCLEAR_FAILURES.size()));
    }

    /** Whether a command is delayed and applied long after its submission. */
    public boolean logDelays() {
        return !stopped && random.nextDouble() < rate / 20;
    }

    /** Whether the secrets for a call are never returned. */
    public boolean secretsHang() {
        return !stopped && random.nextDouble() < rate / 20;
    }

    /** Whether the provider creates a volume outside the requested topology. */
    public boolean wrongTopology() {
        return !stopped && random.nextDouble() < rate / 2;
    }

    /** Whether the provider rejects a listing token as expired. */
    public boolean tokenExpired() {
        return !stopped && random.nextDouble() < rate / 5;
    }

    /** The number of the write or call at which a program that starts now will crash; 0: it does not crash. */
    public int crashPoint() {
        return stopped || random.nextBoolean() ? 0 : 1 + random.nextInt(MAX_CRASH_POINT);
    }

    /** Whether a plugin crashes during the call that it is working on. */
    public boolean pluginCrashes() {
        return !stopped && random.nextDouble() < rate / 20;
    }

    /** Whether plugins that are started now answer only after a while. */
    public boolean answersLate() {
        return !stopped && rate > 0 && random.nextInt(4) == 0;
    }

    /** Whether the mount table cannot be read. */
    public boolean tableUnreadable() {
        return !stopped && random.nextDouble() < rate / 20;
    }

    public boolean logFails() {
        if (stopped) {
            return logStillFails && random.nextDouble() < rate;
        }
        return random.nextDouble() < rate / 10;
    }
}
