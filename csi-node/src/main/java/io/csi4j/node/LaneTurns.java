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

    /** A turn that must not be lost: if the executor takes no more work now, it comes before the next one. */
    void run(Runnable task) {
        if (!runner.executeOrKeep(turn(task))) {
            tellRefused();
        }
    }

    /** The same for what follows from an answer, and may run on the thread that brings it. False: not now. */
    boolean answered(Runnable task) {
        boolean runs = ports.answers().run(runner, turn(task));
        if (!runs) {
            tellRefused();
        }
        return runs;
    }

    /** A turn that nobody asked for, and that nobody misses if the executor takes no more work. */
    void runIfStill(Runnable task) {
        try {
            runner.execute(turn(task));
        } catch (RejectedExecutionException e) {
            tellRefused();
        }
    }

    private Runnable turn(Runnable task) {
        return () -> {
            first.run();
            task.run();
        };
    }

    private void tellRefused() {
        ports.reporter()
                .tell(
                        Kind.STEP_FAILED,
                        key,
                        null,
                        "The executor takes no more work; volume " + key
                                + " stays as it is until it does, or until the next start");
    }

    /** From within a turn: has others told something when it is over. They may do what they like, and hold up nobody. */
    void tell(Runnable telling) {
        runner.afterwards(telling);
    }

    /** The same, of a failure. */
    void fail(CompletableFuture<?> future, Throwable error) {
        tell(() -> future.completeExceptionally(error));
    }

    /**
     * A turn for a wish, which fails if the lane is closed.
     *
     * @throws RejectedExecutionException if the executor takes no more work
     */
    void runFor(CompletableFuture<?> future, Runnable task) {
        runner.execute(turn(() -> {
            if (closed) {
                fail(future, closedError());
                return;
            }
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                // Nobody else hears of it, and whoever waits would wait for ever.
                fail(future, e);
                throw e;
            }
        }));
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
            } catch (RuntimeException | Error e) {
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
