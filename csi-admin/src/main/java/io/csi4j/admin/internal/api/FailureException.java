package io.csi4j.admin.internal.api;

import io.csi4j.core.call.CsiException;

/** Reports a failure of the administration itself. */
final class FailureException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient Failures.Failure failure;

    FailureException(Failures.Failure failure) {
        super(failure.detail());
        this.failure = failure;
    }

    Failures.Failure failure() {
        return failure;
    }
}
