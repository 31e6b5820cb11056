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
final class SimOrder {
    /** For so long an earlier one must have been able to go on, so that the engine could have noticed. */
    private static final Duration NOTICE = Duration.ofMillis(100);

    /** A claim that has failed is answered within this time. */
    private static final Duration ANSWER = Duration.ofMillis(1);

    /** Others have to go; for all else nobody is kept waiting. */
    private static final Set<WaitReason> OTHERS = EnumSet.of(
            WaitReason.OTHER_CAPABILITY_IN_USE,
            WaitReason.CLAIMED_ON_OTHER_NODE,
            WaitReason.WRITER_OR_CLAIM_TAKEN,
            WaitReason.OTHER_MOUNT_OPTIONS_IN_USE,
            WaitReason.ATTACHED_READONLY,
            WaitReason.BEING_DETACHED);

    private static final class Ask {
        private final Duration at;
        private final SimProcess leader;
        private final AllocationId id;
        private final List<ClaimRequest> requests;
        /** When it took what it asked for, or was answered; null: it was not. */
        private @Nullable Duration over;

        Ask(Duration at, SimProcess leader, AllocationId id, List<ClaimRequest> requests) {
            this.at = at;
            this.leader = leader;
            this.id = id;
            this.requests = requests;
        }

        boolean by(SimProcess other, AllocationId allocationId) {
            return over == null && leader.equals(other) && id.equals(allocationId);
        }
    }

    /** A state, from a time on. */
    private record Seen(Duration since, StateReader state) {}

    private final SimWorld world;
    private final List<Ask> asks = new ArrayList<>();
    private final Deque<Seen> past = new ArrayDeque<>();

    SimOrder(SimWorld world) {
        this.world = world;
    }

    void asked(SimProcess leader, AllocationId id, List<ClaimRequest> requests, CompletableFuture<?> answer) {
        Ask ask = new Ask(world.scheduler().elapsed(), leader, id, requests);
        asks.add(ask);
        var unused = answer.whenComplete(
                (grant, failure) -> ask.over = world.scheduler().elapsed());
    }

    /** The state is another one now. */
    void changed(StateReader state) {
        Duration now = world.scheduler().elapsed();
        past.addLast(new Seen(now, state));
        Duration horizon = now.minus(NOTICE);
        while (past.size() > 1 && secondIsBefore(horizon)) {
            past.removeFirst();
        }
    }

    private boolean secondIsBefore(Duration time) {
        var seen = past.iterator();
        seen.next();
        return seen.next().since().compareTo(time) <= 0;
    }

    /** A leader took claims, in answer to a question that it was asked. */
    void taken(SimProcess leader, ClaimCommand.TakeClaims take, StateReader before, StateReader after) {
        Duration horizon = world.scheduler().elapsed().minus(NOTICE);
        asks.removeIf(ask -> ask.over != null && ask.over.compareTo(horizon) <= 0);
        // Who asked several times has the place of the first.
        int mine = 0;
        while (mine < asks.size() && !asks.get(mine).by(leader, take.allocationId())) {
            mine++;
        }
        if (mine == asks.size()) {
            return;
        }
        for (int i = 0; i < mine; i++) {
            Ask earlier = asks.get(i);
            if (earlier.over == null
                    && earlier.leader.equals(leader)
                    && !earlier.id.equals(take.allocationId())
                    && earlier.at.compareTo(horizon) <= 0) {
                take.requests().stream()
                        .map(ClaimRequest::volume)
                        .filter(key -> isNew(before, key, take.allocationId()))
                        .forEach(key -> look(earlier, key, take.allocationId(), after));
            }
        }
        // It has had its turn, though the answer may wait for the plugin or for secrets, and the claims be gone by
        // then.
        asks.get(mine).over = world.scheduler().elapsed();
    }

    private static boolean isNew(StateReader before, VolumeKey key, AllocationId id) {
        return before.volume(key)
                .filter(volume -> volume.claims().get(id).isEmpty())
                .isPresent();
    }

    private void look(Ask earlier, VolumeKey key, AllocationId later, StateReader after) {
        boolean inTheWay = earlier.requests.stream()
                .filter(request -> request.volume().equals(key))
                .anyMatch(request -> decision(after, earlier, request)
                        .filter(AdmissionDecision.Wait.class::isInstance)
                        .map(AdmissionDecision.Wait.class::cast)
                        .filter(wait -> wait.holders().stream()
                                .anyMatch(holder -> holder.allocationId().equals(later)))
                        .isPresent());
        if (inTheWay
                && !behindOthers(earlier, key)
                && past.stream().allMatch(seen -> inTurn(seen.state, earlier, key))) {
            // The log may have failed the earlier one just before: its answer is on the way then.
            world.scheduler().after(ANSWER, () -> {
                if (earlier.over == null) {
                    world.violated("N6: " + later + " came later than " + earlier.id + ", and took " + key
                            + ", for which that one waits");
                }
            });
        }
    }

    /**
     * Whether it wants other volumes too that somebody wants, or wanted a moment ago, who asked before: there it may have to
     * wait for its turn.
     */
    private boolean behindOthers(Ask ask, VolumeKey key) {
        return asks.subList(0, asks.indexOf(ask)).stream()
                .filter(other -> other.leader.equals(ask.leader))
                .flatMap(other -> other.requests.stream())
                .map(ClaimRequest::volume)
                .anyMatch(volume -> !volume.equals(key)
                        && ask.requests.stream()
                                .anyMatch(request -> request.volume().equals(volume)));
    }

    /**
     * Whether that one could have taken all it wants, or had to wait for nothing but others to leave this volume. Who took
     * something has had its turn, and waits for the plugin; all is taken at once.
     */
    private static boolean inTurn(StateReader state, Ask ask, VolumeKey key) {
        Optional<Allocation> allocation = state.allocation(ask.id).filter(placed -> !placed.ended());
        boolean took = ask.requests.stream().anyMatch(request -> !isNew(state, request.volume(), ask.id));
        if (allocation.isEmpty() || took) {
            return false;
        }
        // All of them together: there may be room on the node for each, and not for all.
        NodeAnswer answer = FeasibleNodes.in(state)
                .on(allocation.get().namespace(), allocation.get().nodeId(), ask.requests);
        return answer.missing().isEmpty()
                && answer.refusals().entrySet().stream()
                        .allMatch(refusal -> refusal.getKey().equals(key)
                                && refusal.getValue() instanceof AdmissionDecision.Wait wait
                                && OTHERS.contains(wait.reason()));
    }

    private static Optional<AdmissionDecision> decision(StateReader state, Ask ask, ClaimRequest request) {
        Optional<Allocation> allocation = state.allocation(ask.id).filter(placed -> !placed.ended());
        Optional<Volume> volume = state.volume(request.volume());
        return allocation.flatMap(placed -> volume.map(known -> Admission.decide(
                known, request, ask.id, placed.namespace(), Placement.facts(state, known, placed.nodeId()))));
    }
}
