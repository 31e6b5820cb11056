package io.csi4j.replication.ratis.internal.machine;

import io.csi4j.core.command.Outcome;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The outcomes of commands whose submitters may still ask for them. The outcomes are a part of the replicated state, so
 * every peer has the same outcomes after the same entries. Not thread-safe.
 */
final class Sessions {
    /**
     * The largest number of origins. Each process has one origin, so this is also the largest number of processes that
     * may submit at the same time.
     */
    static final int MAX_ORIGINS = 256;

    private final LinkedHashMap<Long, Session> byOrigin = new LinkedHashMap<>();

    /** The outcomes that one origin may still ask for. */
    static final class Session {
        long answered;
        final SortedMap<Long, Outcome> outcomes = new TreeMap<>();
    }

    /**
     * Applies a command unless it was applied before.
     *
     * @param entry the entry of the command
     * @param application applies the command
     * @return the outcome; empty: the command was applied before
     */
    Optional<Outcome> applyOnce(LogEntry entry, Supplier<Outcome> application) {
        Session session = touch(entry.origin());
        if (entry.number() < session.answered || session.outcomes.containsKey(entry.number())) {
            return Optional.empty();
        }
        if (entry.answered() > session.answered) {
            session.answered = entry.answered();
            session.outcomes.headMap(entry.answered()).clear();
        }
        Outcome outcome = application.get();
        session.outcomes.put(entry.number(), outcome);
        return Optional.of(outcome);
    }

    /** Returns the outcome of an applied command whose submitter has not got it yet. */
    Optional<Outcome> outcome(LogEntry entry) {
        Session session = byOrigin.get(entry.origin());
        return session == null ? Optional.empty() : Optional.ofNullable(session.outcomes.get(entry.number()));
    }

    /**
     * Returns the session of an origin and moves it to the end of the map. If the origin is new and the map is full,
     * first removes the session whose last entry is the oldest.
     */
    private Session touch(long origin) {
        Session session = byOrigin.remove(origin);
        if (session == null) {
            session = new Session();
            if (byOrigin.size() == MAX_ORIGINS) {
                byOrigin.remove(byOrigin.keySet().iterator().next());
            }
        }
        byOrigin.put(origin, session);
        return session;
    }

    /** Returns the sessions by origin, ordered by the last entry of each origin; the oldest comes first. */
    Map<Long, Session> all() {
        return byOrigin;
    }

    /** Replaces all sessions. */
    void replace(Map<Long, Session> sessions) {
        byOrigin.clear();
        byOrigin.putAll(sessions);
    }
}
