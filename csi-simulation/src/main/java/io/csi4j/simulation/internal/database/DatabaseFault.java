package io.csi4j.simulation.internal.database;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/** A fault of the log in a database. Each seed with such a log has each fault with the fault's own probability. */
public enum DatabaseFault {
    /** A transaction is committed, and its answer is lost. */
    ANSWERS_LOST("answers lost", 0.6),
    /** A connection breaks, and its transaction is still committed or undone much later. */
    COMMITS_LATE("commits late", 0.4),
    /** The database answers slowly. */
    ANSWERS_SLOW("answers slow", 0.4),
    /** One server does not reach the database for a while. */
    SERVERS_CUT_OFF("servers cut off", 0.5),
    /** The process of the leader stands still for a while. */
    LEADERS_PAUSED("leaders paused", 0.6),
    /** The process of a server crashes, also at a write or call, and starts again. */
    SERVERS_CRASH("servers crash", 0.5),
    /** The database is stopped for a while; its open transactions are undone. */
    DATABASE_STOPS("database stops", 0.3);

    private final String text;
    private final double probability;

    DatabaseFault(String text, double probability) {
        this.text = text;
        this.probability = probability;
    }

    /** Returns the name of the fault in a report. */
    public String text() {
        return text;
    }

    /**
     * Chooses the faults of a seed.
     *
     * @param rate the rate of faults of the simulation; 0: none
     */
    public static Set<DatabaseFault> choose(SplittableRandom random, double rate) {
        EnumSet<DatabaseFault> chosen = EnumSet.noneOf(DatabaseFault.class);
        for (DatabaseFault fault : values()) {
            if (random.nextDouble() < fault.probability && rate > 0) {
                chosen.add(fault);
            }
        }
        return Collections.unmodifiableSet(chosen);
    }
}
