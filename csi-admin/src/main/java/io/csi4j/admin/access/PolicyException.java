package io.csi4j.admin.access;

import io.csi4j.core.call.CsiException;
import java.util.List;
import java.util.stream.Collectors;

/** Reports policy files that cannot be used at the start. The message has file, line, problem and remedy of each problem. */
public final class PolicyException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient List<PolicyProblem> problems;

    PolicyException(List<PolicyProblem> problems) {
        super("the policies cannot be used: "
                + problems.stream().map(PolicyProblem::toString).collect(Collectors.joining("; ")));
        this.problems = List.copyOf(problems);
    }

    /** Returns all problems. Empty for an exception that was deserialized, because serialization drops them. */
    public List<PolicyProblem> problems() {
        return problems == null ? List.of() : problems;
    }
}
