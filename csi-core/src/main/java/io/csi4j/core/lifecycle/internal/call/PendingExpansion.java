package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An expansion for which a caller waits until the nodes have expanded the volume too. The volume's row in the state
 * shows which nodes have expanded it. This object collects the sizes that the nodes return, because the row loses the
 * expansion and its results when the last node is done. Thread-safe.
 */
public final class PendingExpansion {
    private final Caller caller;
    private final Volume asked;
    private final CapacityRange range;
    private final CompletableFuture<List<ExpandResult.NodePart>> parts = new CompletableFuture<>();

    // The fields below are guarded by this object's monitor. The maps and sets identify a claim by its create index.
    private final Map<Long, Long> capacities = new HashMap<>();
    private final Set<Long> calls = new HashSet<>();
    /** The claims whose nodes expand the volume; null until they are selected. Until then, there are no results. */
    private @Nullable List<Claim> claims;

    private @Nullable Subscription watch;
    private @Nullable Cancellable timer;

    public PendingExpansion(Caller caller, Volume asked, CapacityRange range) {
        this.caller = caller;
        this.asked = asked;
        this.range = range;
    }

    Caller caller() {
        return caller;
    }

    /** Returns a future of the results; it completes when every node step has ended. */
    CompletableFuture<List<ExpandResult.NodePart>> parts() {
        return parts;
    }

    /** Returns whether the given expansion of the volume is the one that the caller waits for. */
    boolean isFor(Volume volume, Expansion expansion) {
        return volume.key().equals(asked.key())
                && volume.createIndex() == asked.createIndex()
                && expansion.range().equals(range);
    }

    /**
     * Notes that a call for a claim has begun. Until the call ends, the claim has no result, even if the state already
     * shows that the node is done.
     */
    public synchronized void callBegins(Claim claim) {
        calls.add(claim.createIndex());
    }

    /** Notes that a call for a claim has ended and that its result is stored. */
    public synchronized void callEnded(Claim claim, Optional<Long> capacityBytes) {
        calls.remove(claim.createIndex());
        capacityBytes.ifPresent(bytes -> capacities.put(claim.createIndex(), bytes));
    }

    /** Selects the claims whose nodes have to expand the volume, including those whose nodes have already done so. */
    public synchronized void selectClaims(Volume grown) {
        List<Claim> selected = new ArrayList<>();
        for (Claim claim : grown.claims()) {
            boolean due = grown.expansion()
                    .filter(expansion -> isFor(grown, expansion))
                    .filter(expansion ->
                            expansion.dueFor(claim) || expansion.of(claim).isPresent())
                    .isPresent();
            if (due || calls.contains(claim.createIndex()) || capacities.containsKey(claim.createIndex())) {
                selected.add(claim);
            }
        }
        claims = List.copyOf(selected);
    }

    /** Keeps the subscription and the timer of the wait; {@link #release()} ends both. */
    synchronized void attach(Subscription watching, Cancellable limit) {
        watch = watching;
        timer = limit;
    }

    synchronized void release() {
        if (watch != null) {
            watch.close();
            watch = null;
        }
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /**
     * Returns the results of all node steps.
     *
     * @param now the volume, read before this call; empty if it was removed
     * @param unfinished the error to report for steps that have not ended; empty to wait for them
     * @return empty if a step has not ended and has to be waited for
     */
    public synchronized Optional<List<ExpandResult.NodePart>> results(
            Optional<Volume> now, Optional<String> unfinished) {
        if (claims == null) {
            return Optional.empty();
        }
        List<ExpandResult.NodePart> ended = new ArrayList<>();
        for (Claim claim : claims) {
            Optional<ExpandResult.NodePart> part =
                    result(claim, now).or(() -> unfinished.map(error -> failed(claim, error)));
            if (part.isEmpty()) {
                return Optional.empty();
            }
            ended.add(part.get());
        }
        return Optional.of(ended);
    }

    private Optional<ExpandResult.NodePart> result(Claim claim, Optional<Volume> now) {
        Long capacity = capacities.get(claim.createIndex());
        if (capacity != null) {
            return Optional.of(expandedPart(claim, capacity));
        }
        if (calls.contains(claim.createIndex())) {
            return Optional.empty();
        }
        Optional<Volume> volume = now.filter(known -> known.createIndex() == asked.createIndex());
        if (volume.flatMap(known -> known.claims().held(claim)).isEmpty()) {
            return Optional.of(failed(
                    claim,
                    "allocation " + claim.allocationId() + " released volume " + asked.key()
                            + " before its node expanded it: nothing is left to do there"));
        }
        Optional<Expansion> expansion = volume.flatMap(known -> known.expansionTo(range, Expansion.Stage.NODES));
        if (expansion.isEmpty()) {
            // The volume no longer has the requested expansion: all nodes are done, or another expansion replaced it.
            // The size on this node is not known, so 0 is reported.
            return Optional.of(expandedPart(claim, 0));
        }
        return expansion.get().of(claim).flatMap(step -> {
            if (step.done()) {
                return Optional.of(expandedPart(claim, step.capacityBytes()));
            }
            return step.retry().refused()
                    ? Optional.of(failed(claim, step.retry().lastError().orElse("the node refused it")))
                    : Optional.empty();
        });
    }

    private static ExpandResult.NodePart expandedPart(Claim claim, long capacityBytes) {
        return new ExpandResult.NodePart(claim.allocationId(), claim.nodeId(), capacityBytes, Optional.empty());
    }

    private static ExpandResult.NodePart failed(Claim claim, String error) {
        return new ExpandResult.NodePart(claim.allocationId(), claim.nodeId(), 0, Optional.of(error));
    }
}
