package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Rejection;
import java.util.Objects;

/** The state refused a command of the operation: what was asked cannot be, as things are. */
public final class RejectedException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient Rejection reason;

    /**
     * A refused operation.
     *
     * @param reason why, and who stands in the way
     */
    public RejectedException(Rejection reason) {
        super(reason.message());
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /**
     * Why, and who stands in the way.
     *
     * @return the typed reason
     */
    public Rejection reason() {
        return reason;
    }
}
