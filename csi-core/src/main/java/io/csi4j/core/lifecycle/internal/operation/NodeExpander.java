package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.ChangeCommand;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.claim.GrantWaiter;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Expands volumes on nodes, for each claim independently (R83, R94). Callers only wait; the volume's worker calls the
 * nodes.
 */
public final class NodeExpander {
    private final Operations operations;
    private final List<PendingExpansion> pending = new CopyOnWriteArrayList<>();

    public NodeExpander(Operations operations) {
        this.operations = operations;
    }

    /**
     * Registers a caller that will wait for an expansion. Call this before the expansion is stored, because the worker
     * may start at once.
     */
    PendingExpansion begin(Caller caller, Volume volume, CapacityRange range) {
        PendingExpansion change = new PendingExpansion(caller, volume, range);
        pending.add(change);
        return change;
    }

    /** Ends the wait of a caller that {@link #begin} registered. */
    void end(PendingExpansion change) {
        pending.remove(change);
        change.release();
    }

    /**
     * Waits until the node of each claim has expanded the volume or refused. The worker on the leader makes the calls.
     */
    CompletableFuture<List<ExpandResult.NodePart>> await(PendingExpansion change, Volume grown) {
        change.selectClaims(grown);
        ObservableState observed = operations.ports().log().state();
        Duration limit = operations.ports().options().operationTimeout();
        change.attach(
                observed.subscribe(
                        StateScope.volume(grown.key()),
                        grown.modifyIndex(),
                        index -> check(change, grown.key(), Optional.empty())),
                operations
                        .ports()
                        .timer()
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
        Optional<Volume> volume = operations.state().volume(key);
        change.results(volume, unfinished)
                .ifPresent(parts -> operations
                        .ports()
                        .callbacks()
                        .execute(() -> change.parts().complete(parts)));
    }

    /**
     * Makes the worker's call to expand the volume on a claim's node. The future completes when the result is stored.
     */
    CompletableFuture<Void> perform(VolumeKey key, Claim planned) {
        Optional<Volume> volume = operations.state().volume(key);
        Optional<Claim> claim = volume.flatMap(known -> GrantWaiter.held(known, planned));
        Optional<Expansion> expansion = volume.flatMap(Volume::expansion)
                .filter(known -> claim.filter(known::dueFor).isPresent());
        if (expansion.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<PendingExpansion> waiting = pending.stream()
                .filter(change -> change.isFor(volume.get(), expansion.get()))
                .toList();
        Caller caller = Caller.lastWithSecrets(waiting.stream().map(PendingExpansion::caller));
        waiting.forEach(change -> change.callBegins(planned));
        return attempt(caller, volume.get(), claim.get(), expansion.get())
                .whenComplete((ended, failure) -> waiting.forEach(change -> {
                    change.callEnded(
                            planned,
                            Optional.ofNullable(ended)
                                    .flatMap(AttemptResult::answer)
                                    .map(NodeExpansion::capacityBytes));
                    check(change, key, Optional.empty());
                }))
                .thenApply(ended -> null);
    }

    private CompletableFuture<AttemptResult<NodeExpansion>> attempt(
            Caller caller, Volume volume, Claim claim, Expansion expansion) {
        Retry before = expansion.of(claim).map(Expansion.OnNode::retry).orElse(Retry.none());
        return AttemptResult.of(
                operations,
                () -> send(caller, volume, claim, expansion, before.attempts() + 1),
                new AttemptResult.Records<>(
                        answer -> new ChangeCommand.RecordNodeExpansion(
                                volume.key(),
                                claim.allocationId(),
                                claim.createIndex(),
                                expansion.range(),
                                answer.capacityBytes(),
                                Optional.empty(),
                                operations.now()),
                        failed -> new ChangeCommand.RecordNodeExpansion(
                                volume.key(),
                                claim.allocationId(),
                                claim.createIndex(),
                                expansion.range(),
                                0,
                                Optional.of(failed),
                                operations.now()),
                        before));
    }

    private CompletableFuture<NodeExpansion> send(
            Caller caller, Volume volume, Claim claim, Expansion expansion, int attempt) {
        return operations
                .secrets(caller, volume, Rpc.NODE_EXPAND_VOLUME)
                .thenCompose(secrets -> operations
                        .calls()
                        .node(CallSubject.of(Rpc.NODE_EXPAND_VOLUME, volume, attempt), claim.nodeId(), () -> {
                            operations.stillRequested(
                                    volume,
                                    now -> now.expansionTo(expansion.range(), expansion.stage())
                                                    .isPresent()
                                            && GrantWaiter.held(now, claim).isPresent());
                            return operations
                                    .ports()
                                    .gateway()
                                    .expand(claim.nodeId(), NodeExpand.of(volume, claim, expansion.range(), secrets));
                        }));
    }
}
