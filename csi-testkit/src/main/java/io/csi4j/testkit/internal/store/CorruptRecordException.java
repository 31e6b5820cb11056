package io.csi4j.testkit.internal.store;

import java.nio.file.Path;

/** Reports a record file that cannot be read. The file is kept, because an operator has to decide about it. */
public final class CorruptRecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CorruptRecordException(Path file, String reason) {
        super("state record " + file + " is damaged: " + reason
                + "; restore it from a backup, or move it away and clean up by hand what it stood for");
    }
}
