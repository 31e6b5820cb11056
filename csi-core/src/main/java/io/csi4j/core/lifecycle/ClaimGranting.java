package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Batch;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What follows once claims are taken: wait until all volumes are published, then hand out all the node
 * needs. If one cannot be, or nobody waits any more, what the request took is released again.
 */
final class ClaimGranting {
    private final Operations operations;
    private final Lanes lanes;

    ClaimGranting(Operations operations, Lanes lanes) {
        this.operations = operations;
        this.lanes = lanes;
    }

    void grant(PendingClaim claim) {
        if (claim.result.isDone()) {
            release(claim);
            return;
        }
        List<CompletableFuture<Void>> published = new ArrayList<>();
        for (Effect.ClaimTaken taken : claim.taken) {
            if (!GrantWaiter.ready(taken.volume(), taken.claim().nodeId())) {
                GrantWaiter waiter = new GrantWaiter(taken);
                published.add(waiter.published());
                lanes.await(taken.volume().key(), waiter, Lane.Urgency.NORMAL);
            }
        }
        var unused = allOf(published)
                .thenCompose(done -> volumes(claim))
                .whenComplete((volumes, failure) -> operations
                        .ports()
                        .executor()
                        .execute(() -> {
                            if (failure == null) {
                                claim.result.complete(new ClaimGrant(claim.allocationId, volumes));
                            } else {
                                failed(claim, Failures.of(failure));
                            }
                        }));
        var unusedToo = claim.result.whenComplete((granted, failure) -> {
            // Failures of the engine's own are CsiExceptions, and released where they are told.
            if (failure != null && !(Failures.of(failure) instanceof CsiException)) {
                release(claim);
            }
        });
    }

    /** Fails with the first failure, and does not wait for the others. */
    private static CompletableFuture<Void> allOf(List<CompletableFuture<Void>> futures) {
        CompletableFuture<Void> all = new CompletableFuture<>();
        futures.forEach(future -> {
            var unused = future.exceptionally(failure -> {
                all.completeExceptionally(failure);
                return null;
            });
        });
        var unused = CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                .thenRun(() -> all.complete(null));
        return all;
    }

    private void failed(PendingClaim claim, Throwable failure) {
        boolean here = !(failure instanceof NotLeadingException) && !(failure instanceof NoSecretsException);
        // Another leader, or the same request again, goes on with what was taken.
        if (claim.result.completeExceptionally(failure) && here) {
            release(claim);
        }
    }

    /** Undoes what this request took, and not what an earlier one of the allocation had. */
    private void release(PendingClaim claim) {
        List<Command> commands = new ArrayList<>();
        StateReader state = operations.state();
        for (Effect.ClaimTaken taken : claim.taken) {
            boolean still = state.volume(taken.volume().key())
                    .flatMap(volume -> GrantWaiter.held(volume, taken.claim()))
                    .isPresent();
            if (still && !taken.alreadyHeld()) {
                commands.add(new ClaimCommand.CheckpointClaim(
                        taken.volume().key(),
                        claim.allocationId,
                        taken.claim().createIndex(),
                        ClaimState.UNPUBLISHING,
                        Optional.empty(),
                        operations.now()));
            }
        }
        if (commands.isEmpty() || lanes.term().over()) {
            return;
        }
        // If the log does not answer the claims stay, as after a crash: the end of the allocation releases them.
        var unused = operations
                .ports()
                .log()
                .submit(new Batch(commands, operations.now()))
                .whenComplete((outcome, failure) ->
                        claim.taken.forEach(taken -> lanes.wake(taken.volume().key())));
    }

    private CompletableFuture<List<VolumeGrant>> volumes(PendingClaim claim) {
        CompletableFuture<List<VolumeGrant>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Effect.ClaimTaken taken : claim.taken) {
            all = all.thenCompose(granted -> volume(claim, taken).thenApply(one -> {
                granted.add(one);
                return granted;
            }));
        }
        return all;
    }

    private CompletableFuture<VolumeGrant> volume(PendingClaim claim, Effect.ClaimTaken taken) {
        VolumeView view = VolumeView.of(operations.state(), taken.volume().key())
                .filter(now -> GrantWaiter.held(now.volume(), taken.claim()).isPresent())
                .orElseThrow(() -> new ClaimLostException(taken.volume().key(), claim.allocationId));
        Volume volume = view.volume();
        Claim held = GrantWaiter.held(volume, taken.claim()).orElseThrow();
        return operations
                .secrets(claim.caller, volume, Rpc.NODE_STAGE_VOLUME)
                .thenCombine(
                        operations.secrets(claim.caller, volume, Rpc.NODE_PUBLISH_VOLUME),
                        (stage, publish) -> new VolumeGrant(
                                view,
                                held,
                                volume.attachments()
                                        .on(held.nodeId())
                                        .map(Attachment::publishContext)
                                        .orElse(PublishContext.empty()),
                                volume.spec().mountOptions().overriddenBy(held.mountOptions()),
                                stage,
                                publish));
    }
}
