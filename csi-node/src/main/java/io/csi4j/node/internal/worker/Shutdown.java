package io.csi4j.node.internal.worker;

import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.internal.mount.NodeFailures;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Stops the node's volumes. When the stop is complete, nothing is written any more, even if a start was running at the
 * same time.
 */
public final class Shutdown {
    private static final System.Logger LOG = System.getLogger(Shutdown.class.getName());

    private final NodePorts ports;
    private final NodeVolumeWorkers workers;
    private final NodeCheck check;
    private final Runnable release;
    /**
     * Decides between a start and a stop that run at once: the one that sets this first wins. Only a start that wins
     * reads the ledger.
     */
    private final AtomicBoolean taken = new AtomicBoolean();

    private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> ended = new AtomicReference<>();

    public Shutdown(NodePorts ports, NodeVolumeWorkers workers, NodeCheck check, Runnable release) {
        this.ports = ports;
        this.workers = workers;
        this.check = check;
        this.release = release;
    }

    /**
     * Returns whether a start may read the ledger now. If a stop came first, fails the future {@code begun} of the
     * start and returns false.
     */
    public boolean mayBegin(CompletableFuture<@Nullable Void> begun) {
        boolean may = taken.compareAndSet(false, true);
        if (!may) {
            begun.completeExceptionally(stopped());
        }
        return may;
    }

    /** Stops the node's volumes; later calls return the result of the first one. */
    public CompletableFuture<@Nullable Void> stop() {
        CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
        CompletableFuture<@Nullable Void> first = ended.compareAndExchange(null, end);
        if (first != null) {
            return first.copy();
        }
        workers.shut();
        check.stop();
        CompletableFuture<@Nullable Void> begun = workers.begun();
        CompletableFuture<@Nullable Void> start = begun == null ? CompletableFuture.completedFuture(null) : begun;
        if (taken.compareAndSet(false, true)) {
            start.completeExceptionally(stopped());
        }
        // Closes the workers only after a running start has ended, because the start may move records aside while it
        // reads the ledger.
        var unused = start.whenComplete((nothing, notStarted) -> closeWorkers(end));
        return end.copy();
    }

    private void closeWorkers(CompletableFuture<@Nullable Void> end) {
        CompletableFuture<?>[] closed =
                workers.inside().stream().map(NodeVolumeWorker::close).toArray(CompletableFuture<?>[]::new);
        var unused = CompletableFuture.allOf(closed).whenComplete((nothing, never) -> {
            release.run();
            try {
                ports.ledger().close();
                LOG.log(
                        Level.INFO,
                        () -> "The volumes of this node in " + ports.paths().base()
                                + " have stopped; their mounts stay");
                end.complete(null);
            } catch (IOException e) {
                end.completeExceptionally(new NodeVolumeException(
                        Reason.LEDGER, "The ledger could not be closed: " + NodeFailures.text(e), e));
            }
        });
    }

    public static NodeVolumeException stopped() {
        return new NodeVolumeException(Reason.CLOSED, "The node volumes were stopped; ask those that came after them");
    }

    public static NodeVolumeException noExecutor(NodePorts ports, RejectedExecutionException cause) {
        return new NodeVolumeException(
                Reason.CLOSED,
                "The executor of the node volumes in " + ports.paths().base()
                        + " takes no more work, so nothing was done; stop the node volumes before their executor",
                cause);
    }
}
