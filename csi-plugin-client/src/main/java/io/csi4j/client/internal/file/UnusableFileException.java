package io.csi4j.client.internal.file;

import java.io.IOException;

/** A file was read, and its content is not what {@link DurableFile} wrote. The message holds nothing of the content. */
public final class UnusableFileException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean newer;

    public UnusableFileException(String message, boolean newer) {
        super(message);
        this.newer = newer;
    }

    /**
     * An intact file whose message is not a valid value.
     *
     * @param message the problem, without any content of the file
     */
    public UnusableFileException(String message) {
        this(message, false);
    }

    /**
     * Whether a newer release wrote the file; it is intact then.
     *
     * @return false: the file is damaged, or belongs to another program
     */
    public boolean newer() {
        return newer;
    }
}
