package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The expansions on nodes that callers on this server wait for. The volume's worker calls the nodes, for each claim
 * independently (R83, R94). Thread-safe.
 */
public final class PendingExpansions {
    private final EnginePorts ports;
    private final List<PendingExpansion> pending = new CopyOnWriteArrayList<>();

    PendingExpansions(EnginePorts ports) {
        this.ports = ports;
    }

    /**
     * Registers a caller that will wait for an expansion. Call this before the expansion is stored, because the worker
     * may start at once.
     */
    public PendingExpansion begin(Caller caller, Volume volume, CapacityRange range) {
        PendingExpansion change = new PendingExpansion(caller, volume, range);
        pending.add(change);
        return change;
    }

    /** Ends the wait of a caller that {@link #begin} registered. */
    public void end(PendingExpansion change) {
        pending.remove(change);
        change.release();
    }

    /**
     * Waits until the node of each claim has expanded the volume or refused. The worker on the leader makes the calls.
     */
    public CompletableFuture<List<ExpandResult.NodePart>> await(PendingExpansion change, Volume grown) {
        change.selectClaims(grown);
        ObservableState observed = ports.log().state();
        Duration limit = ports.options().operationTimeout();
        change.attach(
                observed.subscribe(
                        StateScope.volume(grown.key()),
                        grown.modifyIndex(),
                        index -> check(change, grown.key(), Optional.empty())),
                ports.timer()
                        .schedule(
                                limit, () -> check(change, grown.key(), Optional.of(unfinished(grown.key(), limit)))));
        var unused = change.parts().whenComplete((parts, failure) -> end(change));
        check(change, grown.key(), Optional.empty());
        return change.parts();
    }

    private static String unfinished(VolumeKey key, Duration limit) {
        return "expansion of volume " + key + " on the node is not done after " + limit
                + "; the intent is stored, and the leader continues it";
    }

    private void check(PendingExpansion change, VolumeKey key, Optional<String> unfinished) {
        // Read the volume first and the results afterwards. So if the volume shows that a node has ended its step, the
        // pending expansion either has the result of that step already, or still counts its call as in flight.
        Optional<Volume> volume = ports.log().state().snapshot().volume(key);
        change.results(volume, unfinished)
                .ifPresent(
                        parts -> ports.callbacks().execute(() -> change.parts().complete(parts)));
    }

    /**
     * Notes that the worker's call to expand the volume on a claim's node begins. The call uses the secrets of a caller
     * that waits for it; if several callers passed secrets, it uses those of the last caller.
     *
     * @return the callers that wait for the expansion
     */
    public WaitingCallers<NodeExpansion> callBegins(Volume volume, Expansion expansion, Claim claim) {
        List<PendingExpansion> waiting = pending.stream()
                .filter(change -> change.isFor(volume, expansion))
                .toList();
        waiting.forEach(change -> change.callBegins(claim));
        return new WaitingCallers<>() {
            @Override
            public Caller secretsOf() {
                return Caller.lastWithSecrets(waiting.stream().map(PendingExpansion::caller));
            }

            @Override
            public void callEnded(@Nullable NodeExpansion answer, Optional<Throwable> failure) {
                Optional<Long> capacity = Optional.ofNullable(answer).map(NodeExpansion::capacityBytes);
                waiting.forEach(change -> {
                    change.callEnded(claim, capacity);
                    check(change, volume.key(), Optional.empty());
                });
            }
        };
    }
}
