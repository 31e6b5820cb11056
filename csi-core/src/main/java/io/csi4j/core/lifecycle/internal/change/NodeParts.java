package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.core.lifecycle.internal.wait.AwaitedCalls;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.state.StateReader;
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
import org.jspecify.annotations.Nullable;

/**
 * The parts of an expansion on the nodes, for which a caller waits. The volume's row shows which nodes have expanded it.
 * This object collects the sizes that the nodes return, because the row loses the expansion and its results when the
 * last node is done. Thread-safe.
 */
public final class NodeParts implements AwaitedCalls {
    private final VolumeKey key;
    private final CapacityRange range;

    // The fields below are guarded by this object's monitor. The maps and sets identify a claim by its create index.
    private final Map<Long, Long> capacities = new HashMap<>();
    private final Set<Long> calls = new HashSet<>();
    /** The volume after its controller has expanded it; null until then. Until then, there are no results. */
    private @Nullable Volume grown;
    /** The claims whose nodes expand the volume. */
    private List<Claim> claims = List.of();

    public NodeParts(VolumeKey key, CapacityRange range) {
        this.key = key;
        this.range = range;
    }

    @Override
    public boolean include(CallTarget target, Volume volume) {
        return target instanceof CallTarget.OfNodeExpansion call && call.range().equals(range);
    }

    /** Returns false: the row has the failure, and each node has a result of its own. */
    @Override
    public boolean endWith(Throwable failure) {
        return false;
    }

    /** Until the call ends, the claim has no result, even if the state already shows that the node is done. */
    @Override
    public synchronized void begin(CallTarget target) {
        calls.add(claimIndex(target));
    }

    @Override
    public synchronized void end(CallTarget target, @Nullable Object answer) {
        calls.remove(claimIndex(target));
        if (answer instanceof NodeExpansion done) {
            capacities.put(claimIndex(target), done.capacityBytes());
        }
    }

    private static long claimIndex(CallTarget target) {
        return ((CallTarget.OfNodeExpansion) target).claimIndex();
    }

    /** Selects the claims whose nodes have to expand the volume, including those whose nodes have already done so. */
    public synchronized void selectClaims(Volume volume) {
        List<Claim> selected = new ArrayList<>();
        for (Claim claim : volume.claims()) {
            boolean due = volume.expansion()
                    .filter(expansion -> expansion.range().equals(range))
                    .filter(expansion ->
                            expansion.dueFor(claim) || expansion.of(claim).isPresent())
                    .isPresent();
            if (due || calls.contains(claim.createIndex()) || capacities.containsKey(claim.createIndex())) {
                selected.add(claim);
            }
        }
        grown = volume;
        claims = List.copyOf(selected);
    }

    /** Returns the results of all nodes; empty if a node has not ended its part. */
    public Optional<List<ExpandResult.NodePart>> in(StateReader state) {
        return results(state, Optional.empty());
    }

    /** Returns the results of all nodes, with an error for the parts that have not ended. */
    List<ExpandResult.NodePart> unfinished(StateReader state, String error) {
        return results(state, Optional.of(error)).orElse(List.of());
    }

    private synchronized Optional<List<ExpandResult.NodePart>> results(StateReader state, Optional<String> unfinished) {
        if (grown == null) {
            return Optional.empty();
        }
        long createIndex = grown.createIndex();
        Optional<Volume> now = state.volume(key).filter(volume -> volume.createIndex() == createIndex);
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

    private Optional<ExpandResult.NodePart> result(Claim claim, Optional<Volume> volume) {
        Long capacity = capacities.get(claim.createIndex());
        if (capacity != null) {
            return Optional.of(expandedPart(claim, capacity));
        }
        if (calls.contains(claim.createIndex())) {
            return Optional.empty();
        }
        if (volume.flatMap(known -> known.claims().held(claim)).isEmpty()) {
            return Optional.of(failed(
                    claim,
                    "allocation " + claim.allocationId() + " released volume " + key
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
