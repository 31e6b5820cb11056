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
 * A wish to grow a volume that is not fulfilled yet: the controller has to grow it (R82), or did, and nodes have
 * to see to it (R83). It is on record before the first call, so that whoever leads goes on with it. A claim that
 * is taken while nodes have to see to it has to be seen to as well. Immutable.
 *
 * @param range the size the volume should have, as it was asked for
 * @param stage the next step: the controller's, or the nodes'
 * @param retry how the controller's step went so far; {@link Retry#refused()}: it is not repeated until someone asks for
 *     the size again
 * @param nodes how far it came for each claim that was tried, by allocation, in order; others are not among them
 */
public record Expansion(CapacityRange range, Stage stage, Retry retry, SortedMap<AllocationId, OnNode> nodes) {
    public Expansion {
        Objects.requireNonNull(range, "range");
        Objects.requireNonNull(stage, "stage");
        Objects.requireNonNull(retry, "retry");
        nodes = Collections.unmodifiableSortedMap(new TreeMap<>(Objects.requireNonNull(nodes, "nodes")));
    }

    /** What is next. */
    public enum Stage {
        /** The controller grows the volume. */
        CONTROLLER,
        /** The volume has its size; each claim's node grows what it sees of it. */
        NODES
    }

    /**
     * How far the expansion came for one claim.
     *
     * @param claimIndex the {@link Claim#createIndex()} of the claim: the same allocation may claim anew
     * @param done whether the node did it
     * @param capacityBytes the size the node told; 0: it told none, or did not do it
     * @param retry how it went so far; {@link Retry#refused()}: it must not be tried again (R95)
     */
    public record OnNode(long claimIndex, boolean done, long capacityBytes, Retry retry) {
        /** Checks that all parts are there. */
        public OnNode {
            Objects.requireNonNull(retry, "retry");
        }
    }

    /**
     * A wish that nobody has tried to fulfil yet.
     *
     * @param range the size it should have
     * @return the first step
     */
    public static Expansion to(CapacityRange range) {
        return new Expansion(range, Stage.CONTROLLER, Retry.none(), Collections.emptySortedMap());
    }

    /**
     * The same after an attempt of the controller's step that failed.
     *
     * @param attempt what happened; without a time for the next attempt it was refused
     */
    public Expansion failed(Attempt attempt) {
        return new Expansion(range, stage, retry.plus(attempt), nodes);
    }

    /** The same once the controller did its step and nodes have to do theirs. */
    public Expansion grown() {
        return new Expansion(range, Stage.NODES, Retry.none(), Collections.emptySortedMap());
    }

    /**
     * The same after a node's step. What is known of claims that are no more is forgotten.
     *
     * @param claim the claim
     * @param step how far it came for it
     * @param claims the claims there are
     */
    public Expansion onNode(Claim claim, OnNode step, Claims claims) {
        SortedMap<AllocationId, OnNode> changed = new TreeMap<>(nodes);
        changed.put(claim.allocationId(), step);
        changed.keySet().removeIf(id -> claims.get(id).isEmpty());
        return new Expansion(range, stage, retry, changed);
    }

    /**
     * How far it came for a claim.
     *
     * @param claim the claim
     * @return empty: it was not tried yet
     */
    public Optional<OnNode> of(Claim claim) {
        return Optional.ofNullable(nodes.get(claim.allocationId()))
                .filter(step -> step.claimIndex() == claim.createIndex());
    }

    /**
     * Whether a claim's node has something to do.
     *
     * @param claim one of the volume's claims
     * @return true if it is held, and its node neither did its step nor refused it
     */
    public boolean dueFor(Claim claim) {
        return stage == Stage.NODES
                && claim.state() == ClaimState.TAKEN
                && of(claim)
                        .filter(step -> step.done() || step.retry().refused())
                        .isEmpty();
    }

    /**
     * Whether something can be done about it. Not if it was refused, nor if all that is left is to see to the next claim.
     *
     * @param claims the volume's claims
     * @return true if so
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
     * Whether it is fulfilled: every claim's node did its step, and at least one had to.
     *
     * @param claims the volume's claims
     * @return true if it can be forgotten
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
