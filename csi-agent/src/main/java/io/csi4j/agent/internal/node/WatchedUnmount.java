package io.csi4j.agent.internal.node;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeStatus;
import io.csi4j.node.VolumeMounter;
import io.csi4j.node.transport.RemoteFailureException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An unmount that a server requested. Its future fails as soon as one step of the unmount has failed, so that the
 * server can show the cause. The node continues to retry the step, and the server sends the request again.
 */
public final class WatchedUnmount {
    /** The interval at which an unmount in flight is checked for failed steps. */
    private static final Duration CHECK_PERIOD = Duration.ofSeconds(1);

    private final VolumeMounter volumes;
    private final NodeUnmount request;
    private final Timer timer;
    private final Executor executor;

    private WatchedUnmount(VolumeMounter volumes, NodeUnmount request, Timer timer, Executor executor) {
        this.volumes = volumes;
        this.request = request;
        this.timer = timer;
        this.executor = executor;
    }

    /**
     * Starts the unmount; the future completes when the volume is no longer mounted for the allocation, with the uses
     * of the volume that remain on the node.
     */
    public static CompletableFuture<NodeDetached> start(
            VolumeMounter volumes, NodeUnmount request, Timer timer, Executor executor) {
        CompletableFuture<@Nullable Void> unmounted = Futures.map(volumes.unmount(request), Function.identity());
        new WatchedUnmount(volumes, request, timer, executor).watch(unmounted);
        CompletableFuture<NodeDetached> detached = unmounted
                .thenCompose(done -> volumes.uses(request.id()))
                .thenApply(uses -> NodeDetached.withOthers(uses.stream()
                        .filter(use -> !use.allocationId().equals(request.allocationId()))
                        .toList()));
        // If the caller cancels its future, the unmount is not waited for any more.
        var unused = detached.whenComplete((answer, failure) -> {
            if (failure != null) {
                unmounted.cancel(false);
            }
        });
        return detached;
    }

    private void watch(CompletableFuture<?> unmounted) {
        if (!unmounted.isDone()) {
            var unused = timer.schedule(CHECK_PERIOD, () -> executor.execute(() -> check(unmounted)));
        }
    }

    private void check(CompletableFuture<?> unmounted) {
        NodeVolumeStatus status = volumes.status(request.id().volume()).orElse(null);
        if (status == null || status.lastError().isEmpty()) {
            watch(unmounted);
        } else {
            String unfinished = "volume " + request.id().volume() + " is not unmounted for allocation "
                    + request.allocationId() + " yet, and the node tries again: ";
            // The last error may quote a plugin, which is not stored; the reason of the wait never does.
            String summary =
                    unfinished + (status.waitingFor().isEmpty() ? "its last step has failed" : status.waitingFor());
            unmounted.completeExceptionally(new RemoteFailureException(unfinished + status.lastError(), summary, true));
        }
    }
}
