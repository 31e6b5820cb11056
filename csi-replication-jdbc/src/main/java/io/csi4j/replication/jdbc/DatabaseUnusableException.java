package io.csi4j.replication.jdbc;

import io.csi4j.core.call.CsiException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reports that the log cannot use the database as it is, for example because tables or rights are missing. The message
 * has all problems that were found, each with its remedy.
 */
public final class DatabaseUnusableException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    /**
     * Creates the exception.
     *
     * @param problems the problems with their remedies, one sentence or more each; not empty
     */
    public DatabaseUnusableException(List<String> problems) {
        this(problems, null);
    }

    /**
     * Creates the exception with a cause.
     *
     * @param problems the problems with their remedies, one sentence or more each; not empty
     * @param cause the cause, or null
     */
    public DatabaseUnusableException(List<String> problems, @Nullable Throwable cause) {
        super(text(problems), cause);
        this.problems = List.copyOf(problems);
    }

    /** Returns the problems, each with its remedy. */
    public List<String> problems() {
        return problems;
    }

    private static String text(List<String> problems) {
        if (problems.isEmpty()) {
            throw new IllegalArgumentException("problems is empty: an unusable database has at least one");
        }
        return problems.size() == 1
                ? "The database cannot hold the log: " + problems.get(0)
                : "The database cannot hold the log, for " + problems.size() + " reasons:\n- "
                        + String.join("\n- ", problems);
    }
}
