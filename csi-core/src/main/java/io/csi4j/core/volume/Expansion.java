package io.csi4j.core.volume;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A requested expansion that is not finished: the controller has to expand the volume (R82), or has done so and nodes have to follow
 * (R83). Persisted before the first call, so that every leader can continue it. A claim that is taken in the meantime has to be
 * expanded on its node as well. Immutable.
 *
 * @param range the requested size
 * @param stage the next step: the controller's or the nodes'
 * @param retry the failed attempts of the controller's step; {@link Retry#refused()}: not repeated until the size is requested
 *     again
 * @param nodes the progress for each claim with an attempt, in the order of the allocations
 */
public record Expansion(CapacityRange range, Stage stage, Retry retry, SortedMap<AllocationId, OnNode> nodes) {
    public Expansion {
        Objects.requireNonNull(range, "range");
        Objects.requireNonNull(stage, "stage");
        Objects.requireNonNull(retry, "retry");
        nodes = Collections.unmodifiableSortedMap(new TreeMap<>(Objects.requireNonNull(nodes, "nodes")));
    }

    /** The next step of an expansion. */
    public enum Stage {
        /** The controller expands the volume. */
        CONTROLLER,
        /** The volume has its new size; the node of each claim expands the file system or device. */
        NODES
    }

    /**
     * The progress of an expansion for one claim.
     *
     * @param claimIndex the {@link Claim#createIndex()} of the claim, because an allocation may claim again
     * @param done whether the node has expanded the volume
     * @param capacityBytes the size that the node reported; 0: none, or not done
     * @param retry the failed attempts; {@link Retry#refused()}: it must not be tried again (R95)
     */
    public record OnNode(long claimIndex, boolean done, long capacityBytes, Retry retry) {
        public OnNode {
            Objects.requireNonNull(retry, "retry");
        }
    }

    /**
     * Returns a new expansion without attempts.
     *
     * @param range the requested size
     */
    public static Expansion to(CapacityRange range) {
        return new Expansion(range, Stage.CONTROLLER, Retry.none(), Collections.emptySortedMap());
    }

    /**
     * Returns this expansion after a failed attempt of the controller's step.
     *
     * @param attempt the failure; without a next attempt it is a refusal
     */
    public Expansion failed(Attempt attempt) {
        return new Expansion(range, stage, retry.plus(attempt), nodes);
    }

    /** Returns this expansion after the controller's step, with the nodes' steps next. */
    public Expansion grown() {
        return new Expansion(range, Stage.NODES, Retry.none(), Collections.emptySortedMap());
    }

    /**
     * Returns this expansion after a node's step. Entries of removed claims are dropped.
     *
     * @param claim the claim
     * @param step the progress for the claim
     * @param claims the present claims
     */
    public Expansion onNode(Claim claim, OnNode step, Claims claims) {
        SortedMap<AllocationId, OnNode> changed = new TreeMap<>(nodes);
        changed.put(claim.allocationId(), step);
        changed.keySet().removeIf(id -> claims.get(id).isEmpty());
        return new Expansion(range, stage, retry, changed);
    }

    /** Returns the progress for a claim; empty: no attempt yet. */
    public Optional<OnNode> of(Claim claim) {
        return Optional.ofNullable(nodes.get(claim.allocationId()))
                .filter(step -> step.claimIndex() == claim.createIndex());
    }

    /**
     * Returns whether the node of a claim has to expand the volume.
     *
     * @param claim a claim of the volume
     * @return true if the claim is held, and its node has neither expanded the volume nor refused
     */
    public boolean dueFor(Claim claim) {
        return stage == Stage.NODES
                && claim.state() == ClaimState.TAKEN
                && of(claim)
                        .filter(step -> step.done() || step.retry().refused())
                        .isEmpty();
    }

    /**
     * Returns whether a step can be taken now; false after a refusal, and if only a future claim has to be expanded.
     *
     * @param claims the volume's claims
     */
    public boolean due(Claims claims) {
        if (stage == Stage.CONTROLLER) {
            return !retry.refused();
        }
        for (Claim claim : claims) {
            if (dueFor(claim)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether the expansion is finished: at least one node had to expand the volume, and the nodes of all claims have done so.
     *
     * @param claims the volume's claims
     */
    public boolean fulfilled(Claims claims) {
        Collection<OnNode> steps = new ArrayList<>();
        for (Claim claim : claims) {
            if (claim.state() == ClaimState.TAKEN) {
                Optional<OnNode> step = of(claim).filter(OnNode::done);
                if (step.isEmpty()) {
                    return false;
                }
                steps.add(step.get());
            }
        }
        return stage == Stage.NODES && !steps.isEmpty();
    }
}
