package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.node.NodeVolumeEvent;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeListener;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Reports events to the host's listener in tasks of their own, one after the other, so that a listener that fails or
 * blocks does not disturb the work. If too many events wait, the newer ones are dropped.
 */
public final class Reporter {
    private static final int CAPACITY = 10_000;

    private final NodeVolumeListener listener;
    private final Clock clock;
    private final HostCallbacks host;
    private final SerialExecutor events;
    private final AtomicInteger waiting = new AtomicInteger();

    public Reporter(NodeVolumeListener listener, Clock clock, Executor executor, HostCallbacks host) {
        this.listener = listener;
        this.clock = clock;
        this.host = host;
        this.events = new SerialExecutor(executor, failure -> host.failed("NodeVolumeListener.onEvent", failure));
    }

    void report(Kind kind, @Nullable VolumeKey volume, @Nullable AllocationId allocation, String message) {
        NodeVolumeEvent event = new NodeVolumeEvent(
                kind, Optional.ofNullable(volume), Optional.ofNullable(allocation), message, clock.instant());
        if (waiting.incrementAndGet() > CAPACITY) {
            waiting.decrementAndGet();
            host.log(
                    "NodeVolumeListener.onEvent",
                    "has " + CAPACITY + " events waiting; new events are dropped until it returns");
            return;
        }
        try {
            events.execute(() -> {
                waiting.decrementAndGet();
                listener.onEvent(event);
            });
        } catch (RejectedExecutionException e) {
            // The executor was shut down before the node volumes were stopped, so no task can call the listener.
            waiting.decrementAndGet();
        }
    }
}
