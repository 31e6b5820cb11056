package io.csi4j.node.internal.worker;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.internal.concurrent.Timeouts;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Asks the host which allocations of the ledger still run. An allocation for which the host gives no answer, because its
 * code fails or blocks, counts as running, and the host is asked again at each check. Thread-safe.
 */
public final class RunningAllocations {
    private static final String NAME = "NodeVolumesBuilder.stillRuns";
    /** The longest time that the start waits for the answers. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Predicate<AllocationId> runs;
    private final HostCallbacks host;
    private final Timeouts timeouts;
    /** The recorded allocations without an answer. */
    private final Set<AllocationId> unknown = ConcurrentHashMap.newKeySet();
    /** The recorded allocations that have ended, and were not mounted again. */
    private final Set<AllocationId> ended = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean asking = new AtomicBoolean();

    public RunningAllocations(Predicate<AllocationId> runs, NodePorts ports) {
        this.runs = runs;
        this.host = ports.host();
        this.timeouts = new Timeouts(ports.timer(), ports.executor());
    }

    /** Asks for the recorded allocations. The future completes with those that are known to have ended. */
    public CompletableFuture<Set<AllocationId>> ended(Set<AllocationId> recorded) {
        if (recorded.isEmpty()) {
            return CompletableFuture.completedFuture(Set.of());
        }
        unknown.addAll(recorded);
        CompletableFuture<@Nullable Void> answered = ask();
        return timeouts.limit(answered, LIMIT, () -> {
                    host.givenUp(answered, LIMIT);
                    return new CsiException("stillRuns gave no answer in time");
                })
                .handle((nothing, failure) -> Set.copyOf(ended));
    }

    /** Asks for the allocations without an answer. The future has no result that is needed. */
    CompletableFuture<@Nullable Void> ask() {
        if (unknown.isEmpty() || asking.getAndSet(true)) {
            return CompletableFuture.completedFuture(null);
        }
        return host.call(NAME, () -> {
            try {
                List.copyOf(unknown).forEach(this::askFor);
            } finally {
                asking.set(false);
            }
            return CompletableFuture.completedFuture(null);
        });
    }

    private void askFor(AllocationId allocation) {
        try {
            boolean running = runs.test(allocation);
            if (unknown.contains(allocation) && !running) {
                ended.add(allocation);
            }
            unknown.remove(allocation);
        } catch (RuntimeException | Error e) {
            host.failed(NAME, e);
        }
    }

    /** Returns whether a recorded allocation has ended and was not mounted again. */
    boolean hasEnded(AllocationId allocation) {
        return ended.contains(allocation);
    }

    /** Notes that the host mounts a volume for an allocation, which therefore runs. */
    public void mounted(AllocationId allocation) {
        unknown.remove(allocation);
        ended.remove(allocation);
    }
}
