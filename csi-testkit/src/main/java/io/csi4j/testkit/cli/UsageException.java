package io.csi4j.testkit.cli;

/** Reports wrong arguments; the message is one line for the user. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message, null, false, false);
    }
}
