package io.csi4j.node;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** Checks whether a mount answers. Thread-safe. */
@FunctionalInterface
public interface PathProbe {
    /**
     * Checks a mount. Never blocks the caller; the future completes in bounded time, even if the mount hangs.
     *
     * @param path a mount point; the plugin may replace a part of the path by a link since the mount table was read
     */
    CompletableFuture<Finding> probe(Path path);

    /** The result of a check. */
    enum Finding {
        /** The mount answers. */
        SOUND,
        /** The mount is broken: an access fails as if the server or process behind the file system had ended (ENOTCONN, ESTALE, EIO). */
        BROKEN,
        /** The mount did not answer in time; it may be healthy or broken. */
        NO_ANSWER
    }
}
