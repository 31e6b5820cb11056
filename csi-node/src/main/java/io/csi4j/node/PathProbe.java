package io.csi4j.node;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** Looks whether what is mounted at a path answers. Safe for use by many threads. */
@FunctionalInterface
public interface PathProbe {
    /**
     * Looks at a mount. Never blocks the caller, and completes in bounded time, even if the mount hangs.
     *
     * @param path a mount point
     * @return what was found
     */
    CompletableFuture<Finding> probe(Path path);

    /** What may be found. */
    enum Finding {
        /** It answers. */
        SOUND,
        /** It fails, as a file system does whose server or process is gone (ENOTCONN, ESTALE, EIO). */
        BROKEN,
        /** It did not answer in time; that proves nothing. */
        NO_ANSWER
    }
}
