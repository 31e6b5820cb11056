package io.csi4j.simulation;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.command.Admission;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.state.Placement;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Watches that claims are served in turn: nobody who asked later, of the same leader, takes what makes one wait that
 * asked before, unless the earlier one could not have had it anyway. It judges by the states there were and by what came
 * of them, and knows nothing of the engine's queue.
 */
final class ClaimOrderCheck {
    /** For so long an earlier one must have been able to go on, so that the engine could have noticed. */
    private static final Duration REACTION_TIME = Duration.ofMillis(100);

    /** A claim that has failed is answered within this time. */
    private static final Duration ANSWER_DELAY = Duration.ofMillis(1);

    /** Others have to go; for all else nobody is kept waiting. */
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
        /** When it took what it asked for, or was answered; null: it was not. */
        private @Nullable Duration ended;

        Attempt(Duration requestedAt, SimProcess leader, AllocationId id, List<ClaimRequest> requests) {
            this.requestedAt = requestedAt;
            this.leader = leader;
            this.id = id;
            this.requests = requests;
        }

        boolean isOpenFor(SimProcess other, AllocationId allocationId) {
            return ended == null && leader.equals(other) && id.equals(allocationId);
        }
    }

    /** A state, from a time on. */
    private record PastState(Duration since, StateReader state) {}

    private final SimWorld world;
    private final List<Attempt> attempts = new ArrayList<>();
    private final Deque<PastState> pastStates = new ArrayDeque<>();

    ClaimOrderCheck(SimWorld world) {
        this.world = world;
    }

    void onClaimRequested(
            SimProcess leader, AllocationId id, List<ClaimRequest> requests, CompletableFuture<?> answer) {
        Attempt attempt = new Attempt(world.scheduler().elapsed(), leader, id, requests);
        attempts.add(attempt);
        var unused = answer.whenComplete(
                (grant, failure) -> attempt.ended = world.scheduler().elapsed());
    }

    /** The state is another one now. */
    void onStateChanged(StateReader state) {
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

    /** A leader took claims, in answer to a question that it was asked. */
    void onClaimsTaken(SimProcess leader, ClaimCommand.TakeClaims take, StateReader before, StateReader after) {
        Duration horizon = world.scheduler().elapsed().minus(REACTION_TIME);
        attempts.removeIf(attempt -> attempt.ended != null && attempt.ended.compareTo(horizon) <= 0);
        // Who asked several times has the place of the first.
        int own = 0;
        while (own < attempts.size() && !attempts.get(own).isOpenFor(leader, take.allocationId())) {
            own++;
        }
        if (own == attempts.size()) {
            return;
        }
        for (int i = 0; i < own; i++) {
            Attempt earlier = attempts.get(i);
            if (earlier.ended == null
                    && earlier.leader.equals(leader)
                    && !earlier.id.equals(take.allocationId())
                    && earlier.requestedAt.compareTo(horizon) <= 0) {
                take.requests().stream()
                        .map(ClaimRequest::volume)
                        .filter(key -> isNew(before, key, take.allocationId()))
                        .forEach(key -> check(earlier, key, take.allocationId(), after));
            }
        }
        // It has had its turn, though the answer may wait for the plugin or for secrets, and the claims be gone by
        // then.
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
            // The log may have failed the earlier one just before: its answer is on the way then.
            world.scheduler().after(ANSWER_DELAY, () -> {
                if (earlier.ended == null) {
                    world.reportViolation("N6: " + later + " arrived after " + earlier.id + " but took " + key
                            + ", which the earlier claim waits for");
                }
            });
        }
    }

    /**
     * Whether it wants other volumes too that somebody wants, or wanted a moment ago, who asked before: there it may have to
     * wait for its turn.
     */
    private boolean waitsForOtherVolumes(Attempt attempt, VolumeKey key) {
        return attempts.subList(0, attempts.indexOf(attempt)).stream()
                .filter(other -> other.leader.equals(attempt.leader))
                .flatMap(other -> other.requests.stream())
                .map(ClaimRequest::volume)
                .anyMatch(volume -> !volume.equals(key)
                        && attempt.requests.stream()
                                .anyMatch(request -> request.volume().equals(volume)));
    }

    /**
     * Whether that one could have taken all it wants, or had to wait for nothing but others to leave this volume. Who took
     * something has had its turn, and waits for the plugin; all is taken at once.
     */
    private static boolean couldProceed(StateReader state, Attempt attempt, VolumeKey key) {
        Optional<Allocation> allocation = state.allocation(attempt.id).filter(placed -> !placed.ended());
        boolean hasClaim = attempt.requests.stream().anyMatch(request -> !isNew(state, request.volume(), attempt.id));
        if (allocation.isEmpty() || hasClaim) {
            return false;
        }
        // All of them together: there may be room on the node for each, and not for all.
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
