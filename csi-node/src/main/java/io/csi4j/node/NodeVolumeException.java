package io.csi4j.node;

import io.csi4j.core.call.CsiException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reports a mount or unmount that failed for a reason on the node. */
public final class NodeVolumeException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /**
     * Creates the exception.
     *
     * @param message for operators, without anything sensitive
     * @param cause the cause, or null
     */
    public NodeVolumeException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /**
     * Creates the exception without a cause.
     *
     * @param message for operators, without anything sensitive
     */
    public NodeVolumeException(Reason reason, String message) {
        this(reason, message, null);
    }

    /** The reason of the failure. */
    public enum Reason {
        /** Another use of the volume on this node is incompatible with the request (R85, R90). */
        CONFLICT,
        /** The plugin does not support the request (R42). */
        UNSUPPORTED,
        /**
         * The plugin answered NodePublishVolume with OK, and a symbolic link is at the target, which may lead anywhere; it is
         * unpublished.
         */
        TARGET_NOT_A_MOUNT,
        /** The plugin has mounted the volume without the security label that it got; the mount is undone. */
        LABEL_NOT_APPLIED,
        /**
         * The plugin has VOLUME_MOUNT_GROUP, and the root directory of the volume does not show the group of a request that is
         * {@linkplain io.csi4j.core.volume.OwnershipOptions#strict() strict}; the mount is undone.
         */
        OWNERSHIP_NOT_SEEN,
        /** The time limit has passed. An unfinished mount is being undone; an unfinished unmount continues. */
        UNFINISHED,
        /** The request was withdrawn by the host, or by an unmount request for the same allocation. */
        WITHDRAWN,
        /**
         * The request is for another machine, which had the id of this node before, or the plugin has not said yet which
         * machine this is.
         */
        OTHER_MACHINE,
        /**
         * The plugin has changed or removed a mount when NodePublishVolume was repeated for it. The target is given to no
         * new process until the allocation has unmounted it.
         */
        MOUNT_CHANGED,
        /** The ledger could not be written or read. */
        LEDGER,
        /** The node volumes were stopped. */
        CLOSED
    }

    public Reason reason() {
        return reason;
    }

    /** The failure of a ledger has no text of a plugin, so its whole message may be stored. */
    @Override
    public String summary() {
        if (reason == Reason.LEDGER) {
            return String.valueOf(getMessage());
        }
        return "a mount or unmount on the node did not come to its end (" + reason
                + "); the report of the node has the reason";
    }

    @Override
    public boolean retryable() {
        return reason == Reason.UNFINISHED || reason == Reason.LEDGER;
    }
}
