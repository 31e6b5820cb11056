package io.csi4j.core.call;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A request that would break a rule of CSI. It was refused before anything was sent or written; all
 * of its problems are in the message.
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
        super(text(subject, problems));
        this.problems = List.copyOf(problems);
    }

    private static String text(String subject, List<Problem> problems) {
        if (problems.isEmpty()) {
            throw new IllegalArgumentException("problems: at least one is needed");
        }
        return subject + " was refused, nothing was sent: "
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
