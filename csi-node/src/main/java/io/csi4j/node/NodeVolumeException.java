package io.csi4j.node;

import io.csi4j.core.call.CsiException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A mount or unmount that did not come to its end, for a cause on the node. */
public final class NodeVolumeException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /**
     * A failure with its cause.
     *
     * @param reason why the mount or unmount failed
     * @param message for an operator; holds nothing sensitive
     * @param cause null if there is none
     */
    public NodeVolumeException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /**
     * A failure without a cause.
     *
     * @param reason why the mount or unmount failed
     * @param message for an operator; holds nothing sensitive
     */
    public NodeVolumeException(Reason reason, String message) {
        this(reason, message, null);
    }

    /** Why it did not. */
    public enum Reason {
        /** Others use the volume here in a way that does not go together with this one (R85, R90). */
        CONFLICT,
        /** The plugin cannot do what was asked (R42). */
        UNSUPPORTED,
        /** The time for it was over; a mount is being undone, an unmount goes on. */
        UNFINISHED,
        /** An unmount of the same allocation, or the host, took the wish back. */
        WITHDRAWN,
        /** What has to be written before a call could not be written, or not be read. */
        LEDGER,
        /** The node volumes were closed. */
        CLOSED
    }

    /**
     * Why.
     *
     * @return never null
     */
    public Reason reason() {
        return reason;
    }

    @Override
    public String summary() {
        return "a mount or unmount on the node did not come to its end (" + reason + "); the node says why";
    }

    @Override
    public boolean retryable() {
        return reason == Reason.UNFINISHED || reason == Reason.LEDGER;
    }
}
