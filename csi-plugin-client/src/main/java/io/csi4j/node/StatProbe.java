package io.csi4j.node;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/**
 * Reads the attributes of a path on a thread of its own. A thread that hangs in the kernel cannot be freed; so there
 * is one for a path at most, and no second look while the first hangs.
 */
final class StatProbe implements PathProbe {
    private final ThreadFactory threads;
    private final Timer timer;
    private final Duration limit;
    private final Set<Path> underWay = ConcurrentHashMap.newKeySet();

    StatProbe(ThreadFactory threads, Timer timer, Duration limit) {
        this.threads = threads;
        this.timer = timer;
        this.limit = limit;
    }

    @Override
    public CompletableFuture<Finding> probe(Path path) {
        if (!underWay.add(path)) {
            return CompletableFuture.completedFuture(Finding.NO_ANSWER);
        }
        CompletableFuture<Finding> result = new CompletableFuture<>();
        Cancellable limiter = timer.schedule(limit, () -> result.complete(Finding.NO_ANSWER));
        threads.newThread(() -> {
                    Finding found = look(path);
                    underWay.remove(path);
                    limiter.cancel();
                    result.complete(found);
                })
                .start();
        return result;
    }

    private static Finding look(Path path) {
        try {
            Files.readAttributes(path, BasicFileAttributes.class);
            return Finding.SOUND;
        } catch (NoSuchFileException | AccessDeniedException e) {
            // Unmounted meanwhile, or not for us: neither says that the file system is broken.
            return Finding.SOUND;
        } catch (IOException e) {
            return Finding.BROKEN;
        }
    }
}
