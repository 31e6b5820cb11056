package io.csi4j.admin.internal.api;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Reports a request whose parameters or body cannot be read; nothing was done. */
final class BadRequestException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    BadRequestException(String field, String problem, String remedy) {
        this(List.of(new Problem(field, problem, remedy)));
    }

    /** @param problems at least one */
    private BadRequestException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("; ")));
        this.problems = problems;
    }

    List<Problem> problems() {
        return problems;
    }

    /** Collects the problems of a request, so that its caller gets all of them at once. */
    static final class Collected {
        private final List<Problem> problems = new ArrayList<>();

        /** Does one part of the reading of a request. */
        void part(Runnable reading) {
            try {
                reading.run();
            } catch (BadRequestException e) {
                problems.addAll(e.problems());
            }
        }

        void add(Problem problem) {
            problems.add(problem);
        }

        /** Fails with all problems, if there are any. */
        void end() {
            if (!problems.isEmpty()) {
                throw new BadRequestException(List.copyOf(problems));
            }
        }
    }
}
