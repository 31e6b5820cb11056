package io.csi4j.client.internal.file;

import java.io.IOException;

/**
 * Reports a file whose content was not written by {@link DurableFile}, or was damaged later. The message contains nothing of the content.
 */
public final class UnusableFileException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean newer;

    public UnusableFileException(String message, boolean newer) {
        super(message);
        this.newer = newer;
    }

    /**
     * Creates the exception for an intact file whose message is not a valid value.
     *
     * @param message the problem, without any content of the file
     */
    public UnusableFileException(String message) {
        this(message, false);
    }

    /**
     * Returns whether a newer release wrote the file; the file is then intact.
     *
     * @return true if a newer release wrote the file; false if the file is damaged or belongs to another program
     */
    public boolean newer() {
        return newer;
    }
}
