package io.csi4j.shell;

/** Arguments that make no request. The message says which and the remedy. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UsageException(String message) {
        super(message);
    }
}
