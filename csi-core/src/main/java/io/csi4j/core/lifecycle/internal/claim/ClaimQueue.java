package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.Placement;
import io.csi4j.core.internal.apply.TemplateVolumes;
import io.csi4j.core.internal.capacity.CapacityRule;
import io.csi4j.core.internal.capacity.CapacityUse;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.ClaimWaitingEvent;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.CapacityCheck;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.StorageCapacity;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue of claim requests that cannot be granted now, in order of arrival. The queue retries a request as soon as
 * the state changes in a way that may let it continue, for example when a claim is released. A request that waits for
 * other claims may hold back later requests for the same volume. A request that waits for a node or a plugin holds back
 * no other request. A request that is held back is not decided until the earlier request holds it back no more, so the
 * cost of a grant does not depend on the number of waiting requests.
 *
 * <p>All volumes of a request are taken in one transaction. So no request holds one volume while it waits for another,
 * and two allocations cannot deadlock.
 */
public final class ClaimQueue {
    /** The number of retries before the tasks of others run. */
    private static final int RETRIES_AT_ONCE = 8;

    private final Operations operations;
    private final RowWaits waits;
    private final Term term;
    private final StorageCapacity capacity;
    private final Consumer<PendingClaim> taken;
    /** The volumes of TakeClaims commands in flight, which the state may not have yet. */
    private final Map<PendingClaim, CapacityUse> making = new HashMap<>();

    private final WaitingLists waiting = new WaitingLists();
    private final SerialExecutor tasks;
    /** The requests that have to be decided again, in order. Guarded by its own monitor. */
    private final Set<PendingClaim> retries = new LinkedHashSet<>();
    /** Whether a task that decides requests again is submitted. Guarded by the monitor of {@link #retries}. */
    private boolean retrying;

    public ClaimQueue(
            Operations operations, RowWaits waits, Term term, StorageCapacity capacity, Consumer<PendingClaim> taken) {
        this.operations = operations;
        this.capacity = capacity;
        this.waits = waits;
        this.term = term;
        this.taken = taken;
        this.tasks = new SerialExecutor(
                operations.ports().executor(),
                failure -> FailureLog.warn("A task of the claim queue failed; please report this", failure));
    }

    /** Adds a request. If no other request waits for its volumes, the queue tries the request at once. */
    public void add(PendingClaim claim) {
        boolean alone = waiting.add(claim);
        var unused = claim.result.outcome().whenComplete((grant, failure) -> {
            claim.stopWaits();
            tasks.execute(() -> {
                claim.made.stop();
                Cancellable patience = claim.patience;
                if (patience != null) {
                    patience.cancel();
                }
            });
            if (claim.taken.isEmpty()) {
                // If the request has taken claims, onAnswer() has already removed it from the queue.
                tasks.execute(() -> remove(claim));
            }
        });
        if (term.ended()) {
            // If close() ran before the request was added, close() did not fail the request. So it fails here.
            claim.result.completeExceptionally(new NotLeadingException());
            return;
        }
        tasks.execute(() -> guarded(claim, () -> {
            if (alone) {
                submitTake(claim);
            } else {
                decide(claim);
            }
        }));
    }

    /**
     * Decides a request again. If many requests have to be decided again, the queue decides them in several tasks, so that
     * new requests come between them.
     */
    void retry(PendingClaim claim) {
        synchronized (retries) {
            retries.add(claim);
            if (!retrying) {
                submitRetries();
            }
        }
    }

    /** Submits a task that decides requests again. If the executor rejects it, the next retry submits it. */
    private void submitRetries() {
        retrying = true;
        try {
            tasks.execute(this::retrySome);
        } catch (RejectedExecutionException e) {
            retrying = false;
            throw e;
        }
    }

    private void retrySome() {
        List<PendingClaim> some = new ArrayList<>(RETRIES_AT_ONCE);
        synchronized (retries) {
            Iterator<PendingClaim> next = retries.iterator();
            while (next.hasNext() && some.size() < RETRIES_AT_ONCE) {
                some.add(next.next());
                next.remove();
            }
            retrying = false;
            if (!retries.isEmpty()) {
                submitRetries();
            }
        }
        some.forEach(claim -> guarded(claim, () -> decide(claim)));
    }

    List<WaitingClaim> waiting(VolumeKey key) {
        return waiting.of(key);
    }

    /** Returns the waiting requests that came after a position, by their positions. */
    SortedMap<Long, WaitingClaim> waiting(long after) {
        SortedMap<Long, WaitingClaim> shown = new TreeMap<>();
        for (PendingClaim claim : waiting.all()) {
            if (claim.position > after) {
                shown.put(claim.position, waiting.show(claim));
            }
        }
        return shown;
    }

    public int size() {
        return waiting.all().size();
    }

    /** Returns the number of requests that wait for a volume. */
    int size(VolumeKey key) {
        return waiting.size(key);
    }

    /** Fails all waiting requests with a {@link NotLeadingException}, because the term of leadership has ended. */
    public void close() {
        Set<PendingClaim> all = waiting.all();
        operations
                .ports()
                .callbacks()
                .execute(() -> all.forEach(claim -> claim.result.completeExceptionally(new NotLeadingException())));
    }

    private void remove(PendingClaim claim) {
        claim.watches.close();
        waiting.remove(claim).forEach(this::retry);
    }

    /** Retries the requests that a request may hold back no more, because it waits for another reason than before. */
    private void moved(PendingClaim claim) {
        waiting.update(claim).forEach(this::retry);
    }

    /** Runs a step for one request. If a service of the host throws, only this request fails. */
    private void guarded(PendingClaim claim, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            fail(claim, e);
        }
    }

    /**
     * Fails a request. Its future completes on the executor for callbacks, not in the queue's serial execution: a
     * callback may block until another claim is granted, and the queue has to grant that claim.
     */
    private void fail(PendingClaim claim, Throwable cause) {
        claim.failed = true;
        operations.ports().callbacks().execute(() -> claim.result.completeExceptionally(cause));
    }

    private void decide(PendingClaim claim) {
        if (claim.asking) {
            // A TakeClaims command of this request is in flight. The log may answer it from a state that is older than
            // the change that caused this retry. So the queue retries the request once the outcome is known.
            claim.changedMeanwhile = true;
            return;
        }
        if (claim.failed || claim.result.outcome().isDone() || !claim.taken.isEmpty() || term.ended()) {
            return;
        }
        StateReader state = operations.state();
        if (isAlive(claim, state) && claim.made.isRefused(state)) {
            return;
        }
        if (!claim.isStored(state)) {
            fail(claim, new CancellationException());
            return;
        }
        AdmissionPreview preview = AdmissionPreview.of(state, operations.ports().trust(), claim);
        if (preview.inVain()) {
            // This request will be rejected, however long it waits. So the command is submitted now, and the rejection
            // contains the reason.
            claim.heldBack = null;
            claim.inVain = true;
            submitTake(claim);
            return;
        }
        claim.heldBack = hasClaims(state, claim)
                ? null
                : claim.requests.stream()
                        .map(ClaimRequest::volume)
                        .flatMap(key ->
                                waiting
                                        .ahead(claim, key, other -> readWouldBlockWrite(state, claim, other, key))
                                        .stream())
                        .findFirst()
                        .orElse(null);
        if (!claim.isHeldBack()) {
            claim.blocked = preview.blocked();
            if (claim.blocked == null) {
                submitTake(claim);
                return;
            }
        }
        if (claim.waitsFor(WaitReason.VOLUME_NOT_READY)) {
            awaitCreations(claim, state);
        }
        moved(claim);
        watch(claim, state);
    }

    private static boolean isAlive(PendingClaim claim, StateReader state) {
        return state.allocation(claim.allocationId)
                .filter(allocation -> !allocation.ended())
                .isPresent();
    }

    /** Waits for the volumes with templates that are being created, for this claim or an earlier one. */
    private void awaitCreations(PendingClaim claim, StateReader state) {
        for (ClaimRequest request : claim.requests) {
            state.volume(request.volume())
                    .filter(volume -> request.template().isPresent()
                            && volume.firstClaim().isPresent())
                    .filter(volume -> volume.phase() == VolumePhase.CREATING)
                    .ifPresent(volume -> awaitCreation(claim, volume));
        }
    }

    private void awaitCreation(PendingClaim claim, Volume volume) {
        claim.made.await(
                waits,
                term,
                volume,
                () -> new OtherPlaces(operations.state(), capacity, claim).without(volume),
                refusal -> tasks.execute(() -> guarded(claim, () -> {
                    if (refusal.isPresent() && isAlive(claim, operations.state())) {
                        fail(claim, refusal.get());
                    } else {
                        claim.made.done(volume.key());
                        decide(claim);
                    }
                })));
        if (claim.patience == null) {
            awaitPatience(claim);
        }
    }

    /** Fails the claim when the plugin has not said for too long whether it made a volume. */
    private void awaitPatience(PendingClaim claim) {
        claim.patience = operations
                .ports()
                .timer()
                .schedule(
                        operations.ports().options().claimPatience(),
                        () -> tasks.execute(() -> guarded(claim, () -> patienceEnds(claim))));
    }

    private void patienceEnds(PendingClaim claim) {
        if (claim.failed || claim.result.outcome().isDone() || !claim.taken.isEmpty() || term.ended()) {
            return;
        }
        StateReader state = operations.state();
        Optional<Volume> unsettled = claim.requests.stream()
                .flatMap(request -> state.volume(request.volume()).stream())
                .filter(volume -> volume.phase() == VolumePhase.CREATING
                        && volume.firstClaim().isPresent()
                        && volume.retry().unresolved().isPresent())
                .findFirst();
        if (unsettled.isEmpty()) {
            awaitPatience(claim);
            return;
        }
        Volume volume = unsettled.get();
        fail(
                claim,
                new RejectedException(new Rejection.NotAdmitted(
                        volume.key(),
                        claim.allocationId,
                        new AdmissionDecision.Never(
                                NeverReason.CREATION_UNSETTLED,
                                "plugin " + volume.pluginId() + " has not said within "
                                        + Durations.text(
                                                operations.ports().options().claimPatience())
                                        + " whether it made the volume; end the allocation and place it elsewhere, or claim"
                                        + " the volume again to wait longer"))));
    }

    /**
     * Returns whether the allocation has the claims already, because another request of it was granted. The request then
     * waits behind no request of another allocation, which waits for these claims itself.
     */
    private static boolean hasClaims(StateReader state, PendingClaim claim) {
        return claim.requests.stream()
                .allMatch(request -> state.volume(request.volume())
                        .flatMap(volume -> volume.claims().get(claim.allocationId))
                        .filter(own -> own.state() == ClaimState.TAKEN)
                        .isPresent());
    }

    /**
     * Returns whether a later read request {@code claim}, if it were granted first, would block an earlier request
     * {@code other}. Both have to be for the same node. Then the read blocks the earlier request if the read needs a
     * read-only attachment, or if the earlier request waits until other mount options are no longer in use. Returns
     * true also if the state does not have the volume or the allocation of {@code claim}.
     */
    private static boolean readWouldBlockWrite(
            StateReader state, PendingClaim claim, PendingClaim other, VolumeKey key) {
        Optional<NodeId> node = state.allocation(claim.allocationId).map(Allocation::nodeId);
        Optional<NodeId> others = state.allocation(other.allocationId).map(Allocation::nodeId);
        Optional<Volume> volume = state.volume(key);
        return node.isEmpty()
                || volume.isEmpty()
                || (node.equals(others)
                        && (other.waitsFor(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE)
                                || Placement.facts(state, volume.get(), node.get())
                                        .attachReadonly(claim.on(key).orElseThrow())));
    }

    private void submitTake(PendingClaim claim) {
        Optional<Rejection> noRoom = claim.inVain ? Optional.empty() : noRoom(claim);
        if (noRoom.isPresent()) {
            fail(claim, new RejectedException(noRoom.get()));
            return;
        }
        claim.asking = true;
        claim.changedMeanwhile = false;
        moved(claim);
        StateReader before = operations.state();
        // The waits begin before the claims are taken, because a worker may be faster than the queue.
        before.allocation(claim.allocationId)
                .map(Allocation::nodeId)
                .ifPresent(node -> claim.requests.forEach(
                        request -> PublishedClaim.await(waits, term, claim, request.volume(), node)));
        claim.requests.stream()
                .filter(request -> request.template().isPresent())
                .forEach(request -> claim.made.begin(waits, term, request.volume()));
        CompletableFuture<Outcome> outcome = Futures.start(() -> operations
                .ports()
                .log()
                .submit(new ClaimCommand.TakeClaims(
                        claim.allocationId, claim.requests, claim.storedAt, operations.now())));
        var unused = outcome.whenComplete((done, failure) -> tasks.execute(() -> guarded(claim, () -> {
            claim.asking = false;
            claim.inVain = false;
            making.remove(claim);
            if (failure != null) {
                fail(claim, Failures.ofLog(failure));
            } else {
                onAnswer(claim, done, before);
            }
        })));
    }

    /**
     * Returns the rejection of a claim for which the storage has no room by a recent answer of its plugin. The command does
     * not know the capacity, because each server knows another one.
     */
    private Optional<Rejection> noRoom(PendingClaim claim) {
        StateReader state = operations.state();
        // For other classes the capacity refuses nothing, and reading the use costs time for each creation in flight.
        List<ClaimRequest> required = claim.requests.stream()
                .filter(request -> requiresCapacity(state, request))
                .toList();
        if (required.isEmpty()) {
            return Optional.empty();
        }
        Optional<Allocation> allocation = state.allocation(claim.allocationId).filter(known -> !known.ended());
        if (allocation.isEmpty()) {
            return Optional.empty();
        }
        CapacityUse use = CapacityUse.of(state);
        making.values().forEach(use::addAll);
        CapacityUse own = CapacityUse.of(state);
        CapacityRule rule = new CapacityRule(state, capacity);
        for (ClaimRequest request : required) {
            Optional<Rejection> rejection = TemplateVolumes.answer(
                            state,
                            allocation.get(),
                            volume -> Placement.facts(
                                    state, volume, allocation.get().nodeId()),
                            List.of(),
                            request)
                    .flatMap(TemplateVolumes.Answer::volume)
                    .flatMap(volume -> {
                        var facts =
                                Placement.facts(state, volume, allocation.get().nodeId());
                        rule.add(volume, request, facts, own);
                        return rule.check(volume, request, facts, use).refusal();
                    })
                    .map(refusal -> new Rejection.NotAdmitted(request.volume(), claim.allocationId, refusal));
            if (rejection.isPresent()) {
                return rejection;
            }
        }
        if (!own.isEmpty()) {
            making.put(claim, own);
        }
        return Optional.empty();
    }

    private static boolean requiresCapacity(StateReader state, ClaimRequest request) {
        return request.template()
                .flatMap(template -> state.volumeClass(template.className()))
                .filter(row -> row.capacityCheck() == CapacityCheck.REQUIRED)
                .isPresent();
    }

    private void onAnswer(PendingClaim claim, Outcome outcome, StateReader before) {
        if (outcome instanceof Outcome.Accepted accepted) {
            List<Effect.ClaimTaken> claims = new ArrayList<>();
            List<Volume> made = new ArrayList<>();
            for (Effect effect : accepted.effects()) {
                if (effect instanceof Effect.ClaimTaken one) {
                    claims.add(one);
                } else if (effect instanceof Effect.VolumeStored one) {
                    made.add(one.volume());
                }
            }
            if (!made.isEmpty() && claims.isEmpty()) {
                claim.stopWaits();
                made.stream()
                        .filter(volume -> volume.firstClaim().isPresent())
                        .forEach(volume -> awaitCreation(claim, volume));
                claim.made.stopUnstored();
                decide(claim);
                return;
            }
            claim.made.stopUnstored();
            if (claims.isEmpty() && claim.storedAt != 0) {
                // The stored request was withdrawn, or another request of the allocation has taken its claims.
                fail(claim, new CancellationException());
                return;
            }
            claim.blocked = null;
            claim.taken = List.copyOf(claims);
            remove(claim);
            taken.accept(claim);
            waiting.of(claim.allocationId).forEach(this::retry);
            return;
        }
        claim.stopWaits();
        claim.made.stopUnstored();
        Rejection reason = ((Outcome.Rejected) outcome).reason();
        if (reason instanceof Rejection.NotAdmitted refused
                && refused.decision() instanceof AdmissionDecision.Wait later) {
            claim.blocked = new PendingClaim.Blocked(refused.key(), later);
            moved(claim);
            watch(claim, before);
            reportWaitsBehind(claim);
            if (claim.changedMeanwhile) {
                retry(claim);
            }
        } else {
            fail(claim, new RejectedException(reason));
        }
    }

    private void reportWait(PendingClaim claim) {
        WaitingClaim now = waiting.show(claim);
        if (claim.result.isDone() || now.volume().isEmpty() || sameWait(now, claim.reported)) {
            return;
        }
        claim.reported = now;
        operations
                .ports()
                .listener()
                .claimWaiting(new ClaimWaitingEvent(
                        now.volume().get(),
                        now.allocationId(),
                        now.reason().map(AdmissionDecision.Wait::reason),
                        now.behind(),
                        now.since(),
                        operations.now()));
    }

    /**
     * Reports the waits of the requests behind a request that the log has answered. While the log decided, the reason was
     * not known, so requests that came meanwhile were reported without it.
     */
    private void reportWaitsBehind(PendingClaim claim) {
        VolumeKey held = claim.positionHeldOn();
        if (held != null) {
            waiting.behindAll(held).forEach(this::reportWait);
        }
    }

    private void watch(PendingClaim claim, StateReader decidedOn) {
        reportWait(claim);
        claim.watches.watch(operations.ports().log().state(), claim, decidedOn, () -> retry(claim));
    }

    /**
     * Returns whether two reports of a wait name the same volume and the same reason, both behind earlier requests or both
     * not. The claims and the requests that they name may differ.
     */
    private static boolean sameWait(WaitingClaim now, @Nullable WaitingClaim before) {
        return before != null
                && now.volume().equals(before.volume())
                && now.behind().isPresent() == before.behind().isPresent()
                && now.reason()
                        .map(AdmissionDecision.Wait::reason)
                        .equals(before.reason().map(AdmissionDecision.Wait::reason));
    }
}
