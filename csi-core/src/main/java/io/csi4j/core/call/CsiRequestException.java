package io.csi4j.core.call;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Reports a request that breaks a rule of CSI, or that contradicts the plugin's response to an earlier query. The
 * request was rejected before anything changed. The message lists all problems.
 */
public final class CsiRequestException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    /**
     * Creates the exception.
     *
     * @param subject the rejected object, for example {@code CreateVolumeRequest}
     * @param problems all problems; at least one
     */
    public CsiRequestException(String subject, List<Problem> problems) {
        this(subject, "was refused, nothing was sent", problems);
    }

    private CsiRequestException(String subject, String refusal, List<Problem> problems) {
        super(text(subject, refusal, problems));
        this.problems = List.copyOf(problems);
    }

    /**
     * Creates the exception for a request that contradicts the plugin's response to an earlier query. The request was
     * not sent, and the query changed nothing.
     *
     * @param subject the rejected object, for example {@code volume default/db}
     * @param problems all problems; at least one
     */
    public static CsiRequestException afterQuestion(String subject, List<Problem> problems) {
        return new CsiRequestException(
                subject, "was refused after the plugin was asked, nothing was changed", problems);
    }

    private static String text(String subject, String refusal, List<Problem> problems) {
        if (problems.isEmpty()) {
            throw new IllegalArgumentException("problems: at least one is needed");
        }
        return subject + " " + refusal + ": "
                + problems.stream().map(Problem::toString).collect(Collectors.joining("; "));
    }

    /** Returns all problems of the request; at least one. */
    public List<Problem> problems() {
        return problems == null ? List.of() : problems;
    }
}
