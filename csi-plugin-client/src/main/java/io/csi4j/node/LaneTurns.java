package io.csi4j.node;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The turns of one lane, which never overlap, and its end. */
final class LaneTurns implements LaneTurn {
    private final LanePorts ports;
    private final VolumeKey key;
    private final Runnable first;
    private final SerialRunner runner;
    /** In turns only. */
    private boolean closed;

    /** Each turn begins with {@code first}. */
    LaneTurns(LanePorts ports, VolumeKey key, Runnable first) {
        this.ports = ports;
        this.key = key;
        this.first = first;
        this.runner = new SerialRunner(ports.executor());
    }

    /**
     * A turn.
     *
     * @throws RejectedExecutionException if the executor takes no more work
     */
    void run(Runnable task) {
        runner.execute(() -> {
            first.run();
            task.run();
        });
    }

    /** A turn that nobody asked for, and nobody misses who has shut the executor down: the ledger knows the rest. */
    void runIfStill(Runnable task) {
        try {
            run(task);
        } catch (RejectedExecutionException e) {
            ports.reporter()
                    .tell(
                            Kind.STEP_FAILED,
                            key,
                            null,
                            "The executor takes no more work; volume " + key + " stays as it is until the next start");
        }
    }

    /** A turn for a wish, which fails if the lane is closed. */
    void runFor(CompletableFuture<?> future, Runnable task) {
        run(() -> {
            if (closed) {
                future.completeExceptionally(closedError());
                return;
            }
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                // Nobody else hears of it, and whoever waits would wait for ever.
                future.completeExceptionally(e);
                throw e;
            }
        });
    }

    @Override
    public CompletableFuture<?> unlessClosed(Supplier<CompletableFuture<?>> work) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        runner.execute(() -> {
            if (closed) {
                result.completeExceptionally(closedError());
                return;
            }
            try {
                Ends.of(work.get(), (answer, error) -> {
                    if (error == null) {
                        result.complete(answer);
                    } else {
                        result.completeExceptionally(Causes.of(error));
                    }
                });
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /** The last turn that does anything, with {@code task}; also where the executor takes no more work. */
    void end(Runnable task) {
        runner.executeOrHere(() -> {
            closed = true;
            task.run();
        });
    }

    boolean isClosed() {
        return closed;
    }

    /** From within a turn: the lane was taken away. */
    void gone() {
        closed = true;
    }

    boolean nothingWaits() {
        return runner.nothingWaits();
    }

    NodeVolumeException closedError() {
        return new NodeVolumeException(
                Reason.CLOSED,
                "The node volumes were closed; what was begun for volume " + key + " goes on at the next start");
    }
}
