package io.csi4j.core.call;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A request that would break a rule of CSI, or that does not fit what the plugin answered to a question about it. It was
 * refused before anything was changed; all of its problems are in the message.
 */
public final class CsiRequestException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    /**
     * A refused request.
     *
     * @param subject what was refused, for example {@code CreateVolumeRequest}
     * @param problems all that is wrong with it; at least one
     */
    public CsiRequestException(String subject, List<Problem> problems) {
        this(subject, "was refused, nothing was sent", problems);
    }

    private CsiRequestException(String subject, String refusal, List<Problem> problems) {
        super(text(subject, refusal, problems));
        this.problems = List.copyOf(problems);
    }

    /**
     * A request that does not fit the answer of the plugin to a question, which changes nothing there.
     *
     * @param subject what was refused, for example {@code volume default/db}
     * @param problems all that is wrong with it; at least one
     * @return the exception
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

    /**
     * All that is wrong with the request.
     *
     * @return at least one problem
     */
    public List<Problem> problems() {
        return problems == null ? List.of() : problems;
    }
}
