package io.csi4j.node.internal.ownership;

import io.csi4j.core.internal.text.Text;
import java.util.Objects;

/** Reports a change of ownership that did not come to its end. Nothing that was changed looks finished. */
public final class OwnershipException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    OwnershipException(Reason reason, String message) {
        super(message);
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    /** Returns a failure of the first change: nothing was changed. */
    static OwnershipException unsupported(String what, int error) {
        return new OwnershipException(
                Reason.UNSUPPORTED_HERE,
                what + " cannot be changed on this file system (" + Linux.words(-error)
                        + "); let the plugin or the server set the group, and name none in the request");
    }

    static OwnershipException failed(String what, String path, int error) {
        return new OwnershipException(
                Reason.FAILED,
                what + (path.isEmpty() ? "" : ": '" + Text.printable(path) + "'") + " (" + Linux.words(-error)
                        + "); the ownership of the volume is not finished");
    }

    /** The reason of the failure. */
    public enum Reason {
        /** The file system, or this machine, refuses the first change. Nothing was changed. */
        UNSUPPORTED_HERE,
        /** The path is a link, is no directory, or nothing is mounted there. Nothing was changed. */
        NOT_A_MOUNT,
        /** A file below the root could not be changed. */
        FAILED,
        /** The change was cancelled. */
        CANCELLED
    }

    public Reason reason() {
        return reason;
    }
}
