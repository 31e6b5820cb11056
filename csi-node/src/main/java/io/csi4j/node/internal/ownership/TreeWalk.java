package io.csi4j.node.internal.ownership;

import io.csi4j.node.FileOwnership;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.internal.ownership.OwnershipException.Reason;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Changes all entries below an open directory with a few threads. A thread hands a part of the entries of its directory
 * to another one whenever one is free, so a tree with one large directory is as fast as one with many small ones.
 */
final class TreeWalk {
    private static final int MAX_WALKERS = 4;

    private final FileOwnership wanted;
    private final OwnershipProgress progress;
    private final List<byte[]> excludes;
    private final Semaphore free =
            new Semaphore(Math.min(MAX_WALKERS, Runtime.getRuntime().availableProcessors()) - 1);
    private final Phaser running = new Phaser(1);
    private final AtomicReference<OwnershipException> failure = new AtomicReference<>();

    /**
     * Creates a walk.
     *
     * @param excludes the names of the entries of the root that are left out
     */
    TreeWalk(FileOwnership wanted, List<byte[]> excludes, OwnershipProgress progress) {
        this.wanted = wanted;
        this.excludes = excludes;
        this.progress = progress;
    }

    /**
     * Changes all entries. Returns when no thread works any more.
     *
     * @param root stays open
     * @throws OwnershipException the first failure
     */
    void run(int root) throws OwnershipException {
        OpenDirectory directory = OpenDirectory.root(root).retain();
        runWalker(directory, new Entries());
        // This thread only waits from here on, so another one may take its place.
        free.release();
        int unused = running.arriveAndAwaitAdvance();
        OwnershipException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
    }

    /**
     * Hands entries to another thread, which closes the buffer and releases the directory.
     *
     * @return false if no thread is free; then nothing was handed over
     */
    boolean handOver(OpenDirectory directory, Entries entries) {
        if (!free.tryAcquire()) {
            return false;
        }
        int unused = running.register();
        OpenDirectory retained = directory.retain();
        Thread thread = new Thread(
                () -> {
                    try {
                        runWalker(retained, entries);
                    } finally {
                        free.release();
                        int unusedPhase = running.arriveAndDeregister();
                    }
                },
                "csi4j-ownership");
        thread.setDaemon(true);
        thread.start();
        return true;
    }

    /** Returns whether an entry of a directory is left out. */
    boolean excludes(OpenDirectory directory, Entries entries) {
        return directory.depth() == 0 && entries.isOneOf(excludes);
    }

    private void runWalker(OpenDirectory directory, Entries entries) {
        try (Walker walker = new Walker(this, wanted, progress, directory, entries)) {
            walker.run();
        } catch (OwnershipException e) {
            boolean unused = failure.compareAndSet(null, e);
        }
    }

    /** Throws an exception if the walk has to end early. */
    void check() throws OwnershipException {
        if (progress.isCancelled()) {
            throw new OwnershipException(Reason.CANCELLED, "the change of ownership was cancelled");
        }
        OwnershipException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
    }
}
