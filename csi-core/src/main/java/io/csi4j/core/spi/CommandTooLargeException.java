package io.csi4j.core.spi;

import io.csi4j.core.call.CsiException;

/**
 * Reports a command that its {@link CommandLog} did not apply, because it is larger than an entry of the log may be. The
 * log refuses the same command each time.
 */
public final class CommandTooLargeException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the command, its size, the limit and the remedy, without values of the command
     */
    public CommandTooLargeException(String message) {
        super(message);
    }
}
