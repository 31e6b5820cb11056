package io.csi4j.shell;

/** A command that did not do its work. */
final class FailedException extends Exception {
    private static final long serialVersionUID = 1;

    private final int code;

    private final String kind;

    /** @param code the exit code */
    FailedException(int code, String message) {
        this(code, message, "");
    }

    /** @param kind the kind of the problem that a server reports */
    FailedException(int code, String message, String kind) {
        super(message);
        this.code = code;
        this.kind = kind;
    }

    /** Returns whether the server has gone, or has forgotten what it was asked about. */
    boolean isLoss() {
        return code == Csi.UNREACHABLE || kind.equals("not-found");
    }

    int code() {
        return code;
    }
}
