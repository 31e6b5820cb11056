package io.csi4j.node.internal.mount;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.PathProbe;
import io.csi4j.node.internal.ledger.StrictPaths;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reads the attributes of a path on a thread of its own, because a dead network file system may block the thread
 * permanently. A path has at most one such thread; blocked threads do not count against the limit of concurrent probes.
 */
public final class StatProbe implements PathProbe {
    private static final int AT_A_TIME = 16;

    private final ThreadFactory threads;
    private final Timer timer;
    private final Duration limit;
    private final Map<Path, CompletableFuture<Finding>> inFlight = new ConcurrentHashMap<>();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int looking;

    public StatProbe(ThreadFactory threads, Timer timer, Duration limit) {
        this.threads = threads;
        this.timer = timer;
        this.limit = limit;
    }

    @Override
    public CompletableFuture<Finding> probe(Path path) {
        CompletableFuture<Finding> fresh = new CompletableFuture<>();
        CompletableFuture<Finding> others = inFlight.putIfAbsent(path, fresh);
        if (others == null) {
            synchronized (waiting) {
                waiting.add(() -> begin(path, fresh));
            }
            next();
        }
        return others == null ? fresh.copy() : others.copy();
    }

    private void next() {
        Runnable query;
        synchronized (waiting) {
            if (looking == AT_A_TIME || waiting.isEmpty()) {
                return;
            }
            looking++;
            query = waiting.remove();
        }
        query.run();
    }

    private void begin(Path path, CompletableFuture<Finding> result) {
        AtomicBoolean counted = new AtomicBoolean(true);
        Cancellable limiter = timer.schedule(limit, () -> {
            result.complete(Finding.NO_ANSWER);
            discount(counted);
        });
        threads.newThread(() -> {
                    Finding found = query(path);
                    inFlight.remove(path);
                    limiter.cancel();
                    result.complete(found);
                    discount(counted);
                })
                .start();
    }

    private void discount(AtomicBoolean counted) {
        if (counted.compareAndSet(true, false)) {
            synchronized (waiting) {
                looking--;
            }
            next();
        }
    }

    private static Finding query(Path path) {
        try {
            BasicFileAttributes unused =
                    StrictPaths.call(path, strict -> Files.readAttributes(strict, BasicFileAttributes.class));
            return Finding.SOUND;
        } catch (NoSuchFileException | AccessDeniedException e) {
            // Reports the mount as sound if it was unmounted in the meantime or access was denied, because neither
            // proves that the file system is broken.
            return Finding.SOUND;
        } catch (IOException e) {
            return Finding.BROKEN;
        }
    }
}
