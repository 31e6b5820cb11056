package io.csi4j.admin.internal.api;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Problem;
import java.util.List;

/** Reports a request whose parameters or body cannot be read; nothing was done. */
final class BadRequestException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    BadRequestException(String field, String problem, String remedy) {
        super(new Problem(field, problem, remedy).toString());
        this.problem = new Problem(field, problem, remedy);
    }

    List<Problem> problems() {
        return List.of(problem);
    }
}
