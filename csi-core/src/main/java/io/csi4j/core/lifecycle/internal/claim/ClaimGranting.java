package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Admission;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.ClaimLostException;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.NoSecretsException;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;
import io.csi4j.core.lifecycle.internal.worker.VolumeWorkers;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.spi.ClaimEvent;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Waits until all volumes of a request are published, and then completes the request with the grant. If a volume cannot
 * be published, or the caller cancels the request, the claims of the request are released. A claim stays if another
 * request of the same allocation waits for it or was granted.
 */
final class ClaimGranting {
    private final Operations operations;
    private final RowWaits waits;
    private final VolumeWorkers workers;
    /**
     * The claims that were taken in this term of leadership and are not granted yet. Each claim has the number of
     * requests that wait for it.
     */
    private final ConcurrentMap<Held, Waiting> ungranted = new ConcurrentHashMap<>();

    private record Held(VolumeKey key, AllocationId allocationId, long createIndex) {
        static Held of(Effect.ClaimTaken taken) {
            return new Held(
                    taken.volume().key(),
                    taken.claim().allocationId(),
                    taken.claim().createIndex());
        }
    }

    /**
     * The requests that wait for one claim.
     *
     * @param requests the number of requests
     * @param takenIndex the taken index of the last of these requests; a release with this index has no effect on a
     *     claim that a later request has renewed
     */
    private record Waiting(int requests, long takenIndex) {
        Waiting and(Effect.ClaimTaken taken) {
            return new Waiting(requests + 1, Math.max(takenIndex, taken.claim().takenIndex()));
        }

        Waiting withoutOne() {
            return new Waiting(requests - 1, takenIndex);
        }
    }

    ClaimGranting(Operations operations, RowWaits waits, VolumeWorkers workers) {
        this.operations = operations;
        this.waits = waits;
        this.workers = workers;
    }

    /**
     * Waits until the volumes of taken claims are published, and grants them. The claim queue calls this method in its
     * serial executor.
     */
    void grant(PendingClaim claim) {
        for (Effect.ClaimTaken taken : claim.taken) {
            ungranted.compute(
                    Held.of(taken),
                    (held, waiting) -> waiting != null
                            ? waiting.and(taken)
                            // A claim that was granted before, or taken by an earlier leader, is not released if this
                            // request fails.
                            : taken.alreadyHeld() ? null : new Waiting(0, 0).and(taken));
        }
        var unused = claim.result.outcome().whenComplete((granted, failure) -> {
            if (failure == null) {
                claim.taken.forEach(taken -> ungranted.remove(Held.of(taken)));
            } else {
                releaseClaims(claim, Futures.unwrap(failure));
            }
        });
        if (claim.result.outcome().isDone()) {
            return;
        }
        List<CompletableFuture<Volume>> published = new ArrayList<>();
        for (Effect.ClaimTaken taken : claim.taken) {
            if (!PublishedClaim.ready(operations.state(), taken.volume(), taken.claim())) {
                VolumeKey key = taken.volume().key();
                published.add(PublishedClaim.await(
                                waits, workers.term(), claim, key, taken.claim().nodeId())
                        .await(state -> PublishedClaim.of(state, taken)));
                workers.wake(key);
            }
        }
        var unusedToo = allOf(published)
                .thenCompose(done -> volumes(claim))
                .thenApply(volumes -> stillHeld(claim, volumes))
                .whenComplete((volumes, failure) -> operations
                        .ports()
                        .callbacks()
                        .execute(() -> {
                            if (failure == null) {
                                completeGrant(claim, volumes);
                            } else {
                                claim.result.completeExceptionally(Futures.unwrap(failure));
                            }
                        }));
    }

    private void completeGrant(PendingClaim claim, List<VolumeGrant> volumes) {
        if (!claim.result.complete(new ClaimGrant(claim.allocationId, volumes))) {
            return;
        }
        long index = operations.state().index();
        for (VolumeGrant volume : volumes) {
            operations
                    .ports()
                    .listener()
                    .claimChanged(new ClaimEvent(
                            volume.view().volume().key(),
                            claim.allocationId,
                            ClaimEvent.Change.GRANTED,
                            index,
                            operations.now()));
        }
    }

    /** Checks that the claims are still held, because a claim may have been released while the secrets were fetched. */
    private List<VolumeGrant> stillHeld(PendingClaim claim, List<VolumeGrant> volumes) {
        for (Effect.ClaimTaken taken : claim.taken) {
            var unused =
                    held(claim, taken, operations.state().volume(taken.volume().key()));
        }
        return volumes;
    }

    /** Returns a taken claim as its volume has it now. */
    private static Claim held(PendingClaim claim, Effect.ClaimTaken taken, Optional<Volume> volume) {
        return volume.flatMap(now -> now.claims().held(taken.claim()))
                .orElseThrow(() -> new ClaimLostException(taken.volume().key(), claim.allocationId));
    }

    /** Returns a future that completes when all futures have completed, and fails as soon as one of them fails. */
    private static CompletableFuture<Void> allOf(List<? extends CompletableFuture<?>> futures) {
        if (futures.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> all = new CompletableFuture<>();
        AtomicInteger left = new AtomicInteger(futures.size());
        futures.forEach(future -> {
            var unused = future.whenComplete((value, failure) -> {
                if (failure != null) {
                    all.completeExceptionally(failure);
                } else if (left.decrementAndGet() == 0) {
                    all.complete(null);
                }
            });
        });
        return all;
    }

    /**
     * Releases the claims of a failed or cancelled request. Keeps the claims that another request waits for or has got.
     */
    private void releaseClaims(PendingClaim claim, Throwable cause) {
        // The taken claims stay, because the next leader or another call with the same request continues with them.
        boolean ended = !(cause instanceof NotLeadingException) && !(cause instanceof NoSecretsException);
        List<Command> commands = new ArrayList<>();
        for (Effect.ClaimTaken taken : claim.taken) {
            OptionalLong takenIndex = removeWaiter(taken);
            boolean still = operations
                    .state()
                    .volume(taken.volume().key())
                    .flatMap(volume -> volume.claims().held(taken.claim()))
                    .isPresent();
            if (takenIndex.isPresent() && ended && still) {
                commands.add(new ClaimCommand.CheckpointClaim(
                        taken.volume().key(),
                        claim.allocationId,
                        takenIndex.getAsLong(),
                        ClaimState.UNPUBLISHING,
                        operations.now()));
            }
        }
        if (commands.isEmpty() || workers.term().ended()) {
            return;
        }
        // If the log does not answer, the claims stay, as they do after a crash; the end of the allocation releases
        // them.
        var unused = operations
                .ports()
                .log()
                .submit(new Batch(commands, operations.now()))
                .whenComplete((outcome, failure) ->
                        claim.taken.forEach(taken -> workers.wake(taken.volume().key())));
    }

    /**
     * Removes one request from the requests that wait for a claim. If no other request waits for the claim and the
     * claim was not granted, returns the taken index with which to release the claim; otherwise empty.
     */
    private OptionalLong removeWaiter(Effect.ClaimTaken taken) {
        Held held = Held.of(taken);
        Waiting left = ungranted.computeIfPresent(held, (same, waiting) -> waiting.withoutOne());
        return left != null && left.requests() == 0 && ungranted.remove(held, left)
                ? OptionalLong.of(left.takenIndex())
                : OptionalLong.empty();
    }

    private CompletableFuture<List<VolumeGrant>> volumes(PendingClaim claim) {
        if (claim.taken.size() == 1) {
            return volume(claim, claim.taken.get(0)).thenApply(List::of);
        }
        CompletableFuture<List<VolumeGrant>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Effect.ClaimTaken taken : claim.taken) {
            all = all.thenCompose(granted -> volume(claim, taken).thenApply(one -> {
                granted.add(one);
                return granted;
            }));
        }
        return all;
    }

    /**
     * Checks that the volume may still be used in the allocation's namespace, because a grant contains secrets.
     *
     * @return the allocation
     */
    private Allocation checkUsable(Volume volume, AllocationId allocationId) {
        Allocation allocation = operations
                .state()
                .allocation(allocationId)
                .orElseThrow(() -> new RejectedException(new Rejection.AllocationNotFound(allocationId)));
        if (!volume.usableIn(allocation.namespace())) {
            throw new RejectedException(new Rejection.NotAdmitted(
                    volume.key(), allocationId, Admission.refuseNamespace(volume, allocation.namespace())));
        }
        return allocation;
    }

    private CompletableFuture<VolumeGrant> volume(PendingClaim claim, Effect.ClaimTaken taken) {
        Optional<VolumeView> now =
                VolumeView.of(operations.state(), taken.volume().key());
        Claim current = held(claim, taken, now.map(VolumeView::volume));
        VolumeView view = now.orElseThrow();
        Volume volume = view.volume();
        PluginProfile profile = operations
                .state()
                .pluginProfile(volume.pluginId())
                .orElseGet(() -> PluginProfile.builder(volume.pluginId()).build());
        VolumeContext info = WorkloadInfo.of(operations.state(), checkUsable(volume, claim.allocationId), volume);
        // Another request of the allocation may have renewed the claim, and so have raised the claim's taken index.
        // This grant keeps the taken index of its own request.
        Claim held = current.toBuilder().takenIndex(taken.claim().takenIndex()).build();
        CallSubject subject = CallSubject.of(Rpc.NODE_PUBLISH_VOLUME, volume, 1);
        return operations
                .secrets()
                .of(claim.caller, volume, Rpc.NODE_STAGE_VOLUME)
                .thenCombine(
                        operations.secrets().of(claim.caller, volume, Rpc.NODE_PUBLISH_VOLUME),
                        (stage, publish) -> new VolumeGrant(
                                new VolumeView(volume, view.plugin().outline(), view.claims()),
                                held,
                                volume.attachments()
                                        .on(held.nodeId())
                                        .map(Attachment::publishContext)
                                        .orElse(PublishContext.empty()),
                                volume.spec().mountOptions().overriddenBy(held.mountOptions()),
                                stage,
                                publish,
                                info,
                                profile.republish(),
                                profile.securityLabel(),
                                profile.ownership()))
                // The unmount on the node ends the failure if no later grant does.
                .whenComplete((grant, failure) ->
                        operations.calls().failures().secrets(subject, Optional.of(held.nodeId()), failure));
    }
}
