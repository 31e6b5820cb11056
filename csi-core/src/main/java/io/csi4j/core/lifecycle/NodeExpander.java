package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.ChangeCommand;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The nodes' part of an expansion, for each claim by itself (R83, R94). */
final class NodeExpander {
    private final Operations operations;

    NodeExpander(Operations operations) {
        this.operations = operations;
    }

    /** Has every claim's node do its step; completes once all did, or failed for good. */
    CompletableFuture<List<ExpandResult.NodePart>> all(Caller caller, Volume volume, CapacityRange range) {
        List<CompletableFuture<ExpandResult.NodePart>> parts = new ArrayList<>();
        for (Claim claim : volume.claims()) {
            if (volume.expansion()
                    .filter(wish -> wish.range().equals(range) && wish.dueFor(claim))
                    .isPresent()) {
                parts.add(part(caller, volume.key(), claim, range));
            }
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> parts.stream().map(CompletableFuture::join).toList());
    }

    /** Repeated like any call; FAILED_PRECONDITION must not be (R95). */
    private CompletableFuture<ExpandResult.NodePart> part(
            Caller caller, VolumeKey key, Claim claim, CapacityRange range) {
        String what = "expansion of volume " + key + " for allocation " + claim.allocationId();
        return operations
                .repetition()
                .untilDone(what, Repetition.Stored.INTENT, n -> step(caller, key, claim, range))
                .handle((answer, failure) -> new ExpandResult.NodePart(
                        claim.allocationId(),
                        claim.nodeId(),
                        failure == null ? answer.capacityBytes() : 0,
                        failure == null ? Optional.empty() : Optional.of(Failures.text(failure))));
    }

    private CompletableFuture<NodeExpansion> step(Caller caller, VolumeKey key, Claim claim, CapacityRange range) {
        return operations.turns().in(NodeTurn.of(key, claim), () -> {
            Volume volume = operations.volume(key);
            boolean held = volume.claims()
                    .get(claim.allocationId())
                    .filter(now -> now.state() == ClaimState.TAKEN && now.createIndex() == claim.createIndex())
                    .isPresent();
            Optional<Expansion> wish = volume.expansion()
                    .filter(known -> known.range().equals(range) && known.stage() == Expansion.Stage.NODES);
            if (!held) {
                throw released(key, claim.allocationId());
            }
            Optional<Expansion.OnNode> before = wish.flatMap(known -> known.of(claim));
            if (wish.isEmpty() || before.filter(Expansion.OnNode::done).isPresent()) {
                // Somebody else was faster, or the wish is another one by now.
                return CompletableFuture.completedFuture(new NodeExpansion(
                        before.map(Expansion.OnNode::capacityBytes).orElse(0L)));
            }
            before.map(Expansion.OnNode::retry).ifPresent(VolumeExpander::refused);
            return attempt(caller, volume, claim, wish.get()).thenCompose(Attempted::result);
        });
    }

    private static CsiRequestException released(VolumeKey key, AllocationId allocationId) {
        return new CsiRequestException(
                "expansion of volume " + key,
                List.of(new Problem(
                        "allocationId",
                        "is " + allocationId + ", which released the volume meanwhile",
                        "nothing is left to do there")));
    }

    /** The planner's step: what came of it is on record when the future is complete. */
    CompletableFuture<?> resume(VolumeKey key, Claim claim) {
        return operations.turns().in(NodeTurn.of(key, claim), () -> {
            Optional<Volume> volume = operations.state().volume(key);
            Optional<Claim> now = volume.flatMap(known -> known.claims().get(claim.allocationId()));
            boolean due = now.isPresent()
                    && volume.flatMap(Volume::expansion)
                            .filter(wish -> wish.dueFor(now.get()))
                            .isPresent();
            return due
                    ? attempt(
                            Caller.ENGINE,
                            volume.get(),
                            now.get(),
                            volume.get().expansion().orElseThrow())
                    : CompletableFuture.completedFuture(null);
        });
    }

    private CompletableFuture<Attempted<NodeExpansion>> attempt(
            Caller caller, Volume volume, Claim claim, Expansion wish) {
        Retry before = wish.of(claim).map(Expansion.OnNode::retry).orElse(Retry.none());
        return Attempted.of(
                operations,
                () -> send(caller, volume, claim, wish, before.attempts() + 1),
                new Attempted.Records<>(
                        answer -> new ChangeCommand.RecordNodeExpansion(
                                volume.key(),
                                claim.allocationId(),
                                claim.createIndex(),
                                wish.range(),
                                answer.capacityBytes(),
                                Optional.empty(),
                                operations.now()),
                        failed -> new ChangeCommand.RecordNodeExpansion(
                                volume.key(),
                                claim.allocationId(),
                                claim.createIndex(),
                                wish.range(),
                                0,
                                Optional.of(failed),
                                operations.now()),
                        before));
    }

    private CompletableFuture<NodeExpansion> send(
            Caller caller, Volume volume, Claim claim, Expansion wish, int attempt) {
        return operations
                .secrets(caller, volume, Rpc.NODE_EXPAND_VOLUME)
                .thenCompose(secrets -> operations
                        .calls()
                        .node(CallSubject.of(Rpc.NODE_EXPAND_VOLUME, volume, attempt), claim.nodeId(), () -> {
                            operations.wished(
                                    volume,
                                    now -> VolumeExpander.standing(now, wish)
                                            && GrantWaiter.held(now, claim).isPresent());
                            return operations
                                    .ports()
                                    .gateway()
                                    .expand(claim.nodeId(), NodeExpand.of(volume, claim, wish.range(), secrets));
                        }));
    }
}
