package io.csi4j.core.internal.log;

import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Writes warnings about causes that need a person: one line when a cause appears, and while it lasts one more line in
 * each {@link #INTERVAL}, with the number of times since the last line. Thread-safe.
 *
 * <p>The clock only decides when a line is repeated. If it jumps, one line comes early.
 */
public final class CauseLog {
    /** The time between two lines about one cause. */
    public static final Duration INTERVAL = Duration.ofMinutes(10);

    /**
     * The number of causes that are kept apart within one interval. Others are only counted, so that a peer that makes up
     * causes cannot fill the log.
     */
    private static final int MOST = 100;

    private final System.Logger logger;
    private final Clock clock;

    // Guarded by its own monitor.
    private final Map<String, Logged> causes = new HashMap<>();

    private long others;

    private record Logged(Instant at, long since) {
        boolean recent(Instant now) {
            return Duration.between(at, now).abs().compareTo(INTERVAL) < 0;
        }
    }

    /**
     * Creates a log without causes.
     *
     * @param logger writes the lines
     * @param clock decides when a line is repeated
     */
    public CauseLog(System.Logger logger, Clock clock) {
        this.logger = Objects.requireNonNull(logger, "logger");
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /**
     * Writes a warning, unless a line about the same cause was written a short time ago.
     *
     * @param cause identifies the cause; two lines with the same cause are about the same problem
     * @param line the line: what happens, to which id, and what to do
     */
    public void warn(String cause, String line) {
        Instant now = clock.instant();
        String more;
        synchronized (causes) {
            Logged last = causes.get(cause);
            if (last != null && last.recent(now)) {
                causes.put(cause, new Logged(last.at(), last.since() + 1));
                return;
            }
            if (last == null && causes.size() >= MOST && !forgetOld(now)) {
                others++;
                return;
            }
            more = (last == null || last.since() == 0
                            ? ""
                            : " (" + last.since() + " more times since " + last.at() + ")")
                    + (others == 0 ? "" : " (" + others + " lines about other causes were left out)");
            others = 0;
            causes.put(cause, new Logged(now, 0));
        }
        logger.log(Level.WARNING, () -> line + more);
    }

    private boolean forgetOld(Instant now) {
        return causes.values().removeIf(each -> !each.recent(now));
    }

    /**
     * Ends a cause, so that the next warning about it is written at once.
     *
     * @return whether a warning about it was written before
     */
    public boolean over(String cause) {
        synchronized (causes) {
            return causes.remove(cause) != null;
        }
    }

    /** Ends all causes. */
    public void overAll() {
        synchronized (causes) {
            causes.clear();
        }
    }
}
