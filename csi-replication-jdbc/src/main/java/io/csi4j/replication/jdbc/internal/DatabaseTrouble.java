package io.csi4j.replication.jdbc.internal;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A failure of the database that may pass, in words for an operator.
 *
 * @param cause identifies the kind
 * @param text what fails, and what to do
 */
record DatabaseTrouble(String cause, String text) {
    /** Another transaction was in the way; the next attempt succeeds. */
    private static final Set<String> CONFLICTS = Set.of("40001", "40P01", "40003");

    private static final Set<String> SLOW = Set.of("57014", "55P03", "HYT00", "50200");

    private static final Map<String, String> REMEDIES = Map.of(
            "25006",
                    "The database is read-only: it is a replica, or its disk was full. Let the DataSource lead to the primary",
            "42501", "The role may not do this; grant it the rights that the module's README lists",
            "42P01", "A table of the log is gone. Stop all servers, and restore all tables of the log from one backup",
            "42S02", "A table of the log is gone. Stop all servers, and restore all tables of the log from one backup",
            "53100", "The disk of the database is full. Free space there; nothing that was answered is lost",
            "53300", "The database has no free connection for this role. Raise its limit, or make the pools smaller",
            "28P01", "The database refuses the password. Correct the DataSource");

    static boolean conflict(SQLException failure) {
        return CONFLICTS.contains(state(failure));
    }

    /** Returns whether a statement has waited for a row or for the database until its time was over. */
    static boolean slow(SQLException failure) {
        return SLOW.contains(state(failure));
    }

    /**
     * Describes a failure.
     *
     * @param holders the sessions that hold the head of the log, if they are known
     */
    static DatabaseTrouble of(SQLException failure, List<String> holders) {
        String state = state(failure);
        if (slow(failure)) {
            return new DatabaseTrouble(
                    "slow",
                    holders.isEmpty()
                            ? "A statement took too long, and no session is known that holds the rows of the log. See what"
                                    + " the database is busy with"
                            : "A statement waited too long for a row of the log, which may be held by "
                                    + String.join(", ", holders) + ". End that transaction");
        }
        String remedy = REMEDIES.get(state);
        if (remedy != null) {
            return new DatabaseTrouble(state, remedy);
        }
        if (failure instanceof SQLTransientConnectionException) {
            return new DatabaseTrouble(
                    "pool",
                    "The pool gave no connection. See whether the database answers, and whether the program holds"
                            + " connections for long");
        }
        if (state.startsWith("08") || state.startsWith("57P")) {
            return new DatabaseTrouble(
                    "connection", "See whether the database runs, and whether this machine reaches it");
        }
        return new DatabaseTrouble("other " + state, "See the log of the database");
    }

    /**
     * Returns the message of a failure, without the period at its end. A pool that has waited for a connection in vain
     * gives the last failure of the database as the cause.
     */
    static String reason(SQLException failure) {
        String message = withoutPeriod(failure);
        Throwable cause = failure.getCause();
        return failure instanceof SQLTransientConnectionException && cause != null
                ? message + ": " + withoutPeriod(cause)
                : message;
    }

    private static String withoutPeriod(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }

    private static String state(SQLException failure) {
        return failure.getSQLState() == null ? "" : failure.getSQLState();
    }
}
