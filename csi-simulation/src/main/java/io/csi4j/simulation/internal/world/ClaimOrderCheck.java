package io.csi4j.simulation.internal.world;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.Placement;
import io.csi4j.core.internal.command.Admission;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.simulation.internal.time.SimProcess;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Checks the order of claims under one leader: a later claim must not take a volume for which an earlier claim waits
 * and could have been granted. The check uses past states and answers only, not the engine's queue.
 */
public final class ClaimOrderCheck {
    /** The engine violates the order only if it could have granted the earlier claim for at least this time. */
    private static final Duration REACTION_TIME = Duration.ofMillis(100);

    /** The longest time from the failure of a claim until its future completes. */
    private static final Duration ANSWER_DELAY = Duration.ofMillis(1);

    /** The reasons for which a claim waits until other claims of the volume end. */
    private static final Set<WaitReason> WAITS_FOR_OTHER_CLAIMS = EnumSet.of(
            WaitReason.OTHER_CAPABILITY_IN_USE,
            WaitReason.CLAIMED_ON_OTHER_NODE,
            WaitReason.WRITER_OR_CLAIM_TAKEN,
            WaitReason.OTHER_MOUNT_OPTIONS_IN_USE,
            WaitReason.ATTACHED_READONLY,
            WaitReason.BEING_DETACHED);

    private static final class Attempt {
        private final Duration requestedAt;
        private final SimProcess leader;
        private final AllocationId id;
        private final List<ClaimRequest> requests;
        /** Whether its place among the waiting claims is that of its arrival, and not that of an earlier stored request. */
        private final boolean placeKnown;
        /** The time of the grant or the failure; null: the claim is waiting. */
        private @Nullable Duration ended;

        Attempt(
                Duration requestedAt,
                SimProcess leader,
                AllocationId id,
                List<ClaimRequest> requests,
                boolean placeKnown) {
            this.placeKnown = placeKnown;
            this.requestedAt = requestedAt;
            this.leader = leader;
            this.id = id;
            this.requests = requests;
        }

        boolean isOpenFor(SimProcess other, AllocationId allocationId) {
            return ended == null && leader.equals(other) && id.equals(allocationId);
        }
    }

    /** A state and the time from which it was current. */
    private record PastState(Duration since, StateReader state) {}

    /** A command to take claims that the log has not answered. */
    private record Unanswered(SimProcess leader, ClaimCommand.TakeClaims take) {}

    private final SimWorld world;
    private final List<Attempt> attempts = new ArrayList<>();
    private final Set<Unanswered> unanswered = new LinkedHashSet<>();
    private final Deque<PastState> pastStates = new ArrayDeque<>();

    public ClaimOrderCheck(SimWorld world) {
        this.world = world;
    }

    public void onClaimRequested(
            SimProcess leader, AllocationId id, List<ClaimRequest> requests, CompletableFuture<?> answer) {
        add(leader, id, requests, true, answer);
    }

    /** Notes a command to take claims. Later claims wait behind it until the log answers, because it may still be applied. */
    public void onTakeSubmitted(SimProcess leader, ClaimCommand.TakeClaims take, CompletableFuture<?> answer) {
        Unanswered submitted = new Unanswered(leader, take);
        unanswered.add(submitted);
        var unused = answer.whenComplete((outcome, failure) -> unanswered.remove(submitted));
    }

    /** Notes a claim of an allocation that has stored the same request before. */
    public void onStoredClaimRequested(
            SimProcess leader, AllocationId id, List<ClaimRequest> requests, CompletableFuture<?> answer) {
        add(leader, id, requests, false, answer);
    }

    private void add(
            SimProcess leader,
            AllocationId id,
            List<ClaimRequest> requests,
            boolean placeKnown,
            CompletableFuture<?> answer) {
        Attempt attempt = new Attempt(world.scheduler().elapsed(), leader, id, requests, placeKnown);
        attempts.add(attempt);
        var unused = answer.whenComplete(
                (grant, failure) -> attempt.ended = world.scheduler().elapsed());
    }

    /** Forgets the states before the restore of an older one, and the claims that nobody answers any more. */
    void restored(StateReader state) {
        pastStates.clear();
        attempts.clear();
        unanswered.clear();
        onStateChanged(state);
    }

    /** Remembers the current state for {@link #REACTION_TIME}. */
    public void onStateChanged(StateReader state) {
        Duration now = world.scheduler().elapsed();
        pastStates.addLast(new PastState(now, state));
        Duration horizon = now.minus(REACTION_TIME);
        while (pastStates.size() > 1 && secondIsBefore(horizon)) {
            pastStates.removeFirst();
        }
    }

    private boolean secondIsBefore(Duration time) {
        var entry = pastStates.iterator();
        entry.next();
        return entry.next().since().compareTo(time) <= 0;
    }

    /** Returns whether a claim for the volume has waited at a leader for longer than its reaction time. */
    boolean isAwaited(SimProcess leader, VolumeKey key) {
        Duration horizon = world.scheduler().elapsed().minus(REACTION_TIME);
        return attempts.stream()
                .anyMatch(attempt -> attempt.ended == null
                        && attempt.leader.equals(leader)
                        && attempt.requestedAt.compareTo(horizon) <= 0
                        && attempt.requests.stream()
                                .anyMatch(request -> request.volume().equals(key)));
    }

    /** Checks an accepted command with which a leader took claims. */
    public void onClaimsTaken(SimProcess leader, ClaimCommand.TakeClaims take, StateReader before, StateReader after) {
        boolean taken = take.requests().stream()
                .anyMatch(request -> after.volume(request.volume())
                        .filter(volume ->
                                volume.claims().get(take.allocationId()).isPresent())
                        .isPresent());
        if (!taken) {
            // The command made volumes; the claims wait for them.
            return;
        }
        Duration horizon = world.scheduler().elapsed().minus(REACTION_TIME);
        attempts.removeIf(attempt -> attempt.ended != null && attempt.ended.compareTo(horizon) <= 0);
        // An allocation that repeats its request keeps the position of its first request.
        int own = 0;
        while (own < attempts.size() && !attempts.get(own).isOpenFor(leader, take.allocationId())) {
            own++;
        }
        if (own == attempts.size()) {
            return;
        }
        for (int i = 0; i < own && attempts.get(own).placeKnown; i++) {
            Attempt earlier = attempts.get(i);
            if (earlier.ended == null
                    && earlier.placeKnown
                    && earlier.leader.equals(leader)
                    && !earlier.id.equals(take.allocationId())
                    && earlier.requestedAt.compareTo(horizon) <= 0) {
                take.requests().stream()
                        .map(ClaimRequest::volume)
                        .filter(key -> isNew(before, key, take.allocationId()))
                        .forEach(key -> check(earlier, key, take.allocationId(), after));
            }
        }
        // Ends the attempt now, when the state has the claims, and does not wait for the grant: the claims may be
        // released before the plugin and the source of secrets have answered.
        attempts.get(own).ended = world.scheduler().elapsed();
    }

    private static boolean isNew(StateReader before, VolumeKey key, AllocationId id) {
        return before.volume(key)
                .filter(volume -> volume.claims().get(id).isEmpty())
                .isPresent();
    }

    private void check(Attempt earlier, VolumeKey key, AllocationId later, StateReader after) {
        boolean blocked = earlier.requests.stream()
                .filter(request -> request.volume().equals(key))
                .anyMatch(request -> decision(after, earlier, request)
                        .filter(AdmissionDecision.Wait.class::isInstance)
                        .map(AdmissionDecision.Wait.class::cast)
                        .filter(wait -> wait.holders().stream()
                                .anyMatch(holder -> holder.allocationId().equals(later)))
                        .isPresent());
        if (blocked
                && !waitsForOtherVolumes(earlier, key)
                && pastStates.stream().allMatch(entry -> couldProceed(entry.state, earlier, key))) {
            // Waits before reporting: if the log has just failed the earlier claim, its future completes within this
            // delay.
            world.scheduler().after(ANSWER_DELAY, () -> {
                if (earlier.ended == null) {
                    world.reportViolation("N6: " + later + " arrived after " + earlier.id + " but took " + key
                            + ", which the earlier claim waits for");
                }
            });
        }
    }

    /**
     * Returns whether the attempt also needs another volume for which a still earlier attempt waits, or a stored request, or
     * a command that the log has not answered.
     * Such a request counts as earlier. If so, the attempt may have to wait for it.
     */
    private boolean waitsForOtherVolumes(Attempt attempt, VolumeKey key) {
        int place = attempts.indexOf(attempt);
        Stream<ClaimRequest> earlier = attempts.stream()
                .filter(other -> attempts.indexOf(other) < place || (!other.placeKnown && other.ended == null))
                .filter(other -> other.leader.equals(attempt.leader))
                .flatMap(other -> other.requests.stream());
        Stream<ClaimRequest> stored = pastStates.stream()
                .flatMap(entry ->
                        StreamSupport.stream(entry.state.requestedClaims().spliterator(), false))
                .filter(row -> !row.allocationId().equals(attempt.id))
                .flatMap(row -> row.requests().stream());
        Stream<ClaimRequest> submitted = unanswered.stream()
                .filter(other -> other.leader.equals(attempt.leader))
                .filter(other -> !other.take.allocationId().equals(attempt.id))
                .flatMap(other -> other.take.requests().stream());
        return Stream.of(earlier, stored, submitted)
                .flatMap(requests -> requests)
                .map(ClaimRequest::volume)
                .anyMatch(volume -> !volume.equals(key)
                        && attempt.requests.stream()
                                .anyMatch(request -> request.volume().equals(volume)));
    }

    /**
     * Returns whether the engine could have granted the attempt in this state if all other claims of the given volume
     * had ended. An attempt takes its claims together; after that, it waits only for the plugin.
     */
    private static boolean couldProceed(StateReader state, Attempt attempt, VolumeKey key) {
        Optional<Allocation> allocation = state.allocation(attempt.id).filter(placed -> !placed.ended());
        boolean hasClaim = attempt.requests.stream().anyMatch(request -> !isNew(state, request.volume(), attempt.id));
        if (allocation.isEmpty() || hasClaim) {
            return false;
        }
        // Decides all requests together: the node may have capacity for each volume alone, but not for all.
        NodeAnswer answer = FeasibleNodes.in(state)
                .on(allocation.get().namespace(), allocation.get().nodeId(), attempt.requests);
        return answer.missing().isEmpty()
                && answer.refusals().entrySet().stream()
                        .allMatch(refusal -> refusal.getKey().equals(key)
                                && refusal.getValue() instanceof AdmissionDecision.Wait wait
                                && WAITS_FOR_OTHER_CLAIMS.contains(wait.reason()));
    }

    private static Optional<AdmissionDecision> decision(StateReader state, Attempt attempt, ClaimRequest request) {
        Optional<Allocation> allocation = state.allocation(attempt.id).filter(placed -> !placed.ended());
        Optional<Volume> volume = state.volume(request.volume());
        return allocation.flatMap(placed -> volume.map(known -> Admission.decide(
                known, request, attempt.id, placed.namespace(), Placement.facts(state, known, placed.nodeId()))));
    }
}
