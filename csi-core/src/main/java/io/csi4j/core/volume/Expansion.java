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
 * A requested expansion that is not finished. The controller still has to expand the volume (R82), or the controller
 * has done so and nodes still have to expand it (R83). The expansion is stored before the first call, so that a new
 * leader can continue it. If a claim is taken during the expansion, its node has to expand the volume as well.
 * Immutable.
 *
 * @param range the requested size
 * @param stage whether the controller or the nodes have to expand the volume next
 * @param retry the failed attempts by the controller; if {@link Retry#refused()}, there is no further attempt until the
 *     size is requested again
 * @param nodes the progress on the node of each claim for which a node was called, in the order of the allocations
 */
public record Expansion(CapacityRange range, Stage stage, Retry retry, SortedMap<AllocationId, OnNode> nodes) {
    public Expansion {
        Objects.requireNonNull(range, "range");
        Objects.requireNonNull(stage, "stage");
        Objects.requireNonNull(retry, "retry");
        nodes = Collections.unmodifiableSortedMap(new TreeMap<>(Objects.requireNonNull(nodes, "nodes")));
    }

    /** Says whether the controller or the nodes have to act next in an expansion. */
    public enum Stage {
        /** The controller expands the volume. */
        CONTROLLER,
        /**
         * The volume has its new size at the storage provider. The node of each claim expands the file system or
         * device.
         */
        NODES
    }

    /**
     * The progress of an expansion for one claim.
     *
     * @param claimIndex the {@link Claim#createIndex()} of the claim, which distinguishes it from a later claim of the
     *     same allocation
     * @param done whether the node has expanded the volume
     * @param capacityBytes the size in bytes that the node reported; 0 if it has not expanded the volume, or reported
     *     no size
     * @param retry the failed attempts; if {@link Retry#refused()}, there must be no further attempt (R95)
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
     * Returns this expansion after a failed attempt by the controller.
     *
     * @param attempt the failure; without a next attempt, it counts as a refusal
     */
    public Expansion failed(Attempt attempt) {
        return new Expansion(range, stage, retry.plus(attempt), nodes);
    }

    /**
     * Returns this expansion after the controller has expanded the volume, so that the nodes have to expand it next.
     */
    public Expansion grown() {
        return new Expansion(range, Stage.NODES, Retry.none(), Collections.emptySortedMap());
    }

    /**
     * Returns this expansion after a node has succeeded or failed.
     *
     * @param claim the claim
     * @param step the progress for the claim
     */
    public Expansion onNode(Claim claim, OnNode step) {
        SortedMap<AllocationId, OnNode> changed = new TreeMap<>(nodes);
        changed.put(claim.allocationId(), step);
        return new Expansion(range, stage, retry, changed);
    }

    /**
     * Returns what is left of this expansion after a node has succeeded or a claim has ended: the progress of claims
     * that are removed or being released is dropped.
     *
     * @param claims the volume's current claims
     * @return empty if the expansion is {@linkplain #fulfilled finished}
     */
    public Optional<Expansion> remaining(Claims claims) {
        if (fulfilled(claims)) {
            return Optional.empty();
        }
        SortedMap<AllocationId, OnNode> left = new TreeMap<>(nodes);
        left.keySet()
                .removeIf(id -> claims.get(id)
                        .filter(claim -> claim.state() == ClaimState.TAKEN)
                        .isEmpty());
        return Optional.of(left.equals(nodes) ? this : new Expansion(range, stage, retry, left));
    }

    /** Returns the progress on the node of a claim; empty if the node has not been called yet. */
    public Optional<OnNode> of(Claim claim) {
        return Optional.ofNullable(nodes.get(claim.allocationId()))
                .filter(step -> step.claimIndex() == claim.createIndex());
    }

    /**
     * Returns whether the node of a claim has to expand the volume.
     *
     * @param claim a claim of the volume
     * @return true if the stage is NODES, the claim is TAKEN, and its node has neither expanded the volume nor refused
     */
    public boolean dueFor(Claim claim) {
        return stage == Stage.NODES
                && claim.state() == ClaimState.TAKEN
                && of(claim)
                        .filter(step -> step.done() || step.retry().refused())
                        .isEmpty();
    }

    /**
     * Returns whether the controller or a node has to be called now. Returns false if the call was refused, or if the
     * controller has finished and no node needs a call.
     *
     * @param claims the volume's current claims
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
     * Returns whether the expansion is finished: the volume has at least one claim, and the nodes of all claims have
     * expanded the volume.
     *
     * @param claims the volume's current claims
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
