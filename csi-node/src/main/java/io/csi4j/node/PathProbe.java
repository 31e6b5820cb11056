package io.csi4j.node;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** Checks whether a mount answers. Thread-safe. */
@FunctionalInterface
public interface PathProbe {
    /**
     * Checks a mount. Never blocks the caller, and completes in bounded time, even if the mount hangs.
     *
     * @param path a mount point
     */
    CompletableFuture<Finding> probe(Path path);

    /** The result of a check. */
    enum Finding {
        /** The mount answers. */
        SOUND,
        /** The mount fails, like a file system whose server or process has ended (ENOTCONN, ESTALE, EIO). */
        BROKEN,
        /** The mount did not answer in time, which proves nothing. */
        NO_ANSWER
    }
}
