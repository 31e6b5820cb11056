package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Rejection;
import java.util.Objects;

/**
 * Reports that the state rejected a command of the operation. The reason says why the operation is not possible now.
 */
public final class RejectedException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient Rejection reason;

    public RejectedException(Rejection reason) {
        super(reason.message());
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /** Returns the typed reason: the rule, and the claim or volume that conflicts. */
    public Rejection reason() {
        return reason;
    }
}
