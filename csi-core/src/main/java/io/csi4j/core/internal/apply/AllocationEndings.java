package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Ends one allocation, or all allocations of a node that was lost. In the same transaction, the claims of the
 * allocations become releasable, and the plugin instances that ran in the allocations are removed.
 */
final class AllocationEndings {
    private AllocationEndings() {}

    static void endAllocation(Step step, AllocationId allocationId, NodeId nodeId) {
        releaseClaims(step, allocationId);
        removeInstances(
                step,
                nodeId,
                instance -> instance.key()
                        .allocationId()
                        .filter(allocationId::equals)
                        .isPresent());
    }

    /** Releases the claims of an allocation, and removes its stored requests for claims. */
    static void releaseClaims(Step step, AllocationId allocationId) {
        for (RequestedClaims requested : Step.collect(step.reader().requestedClaimsOf(allocationId))) {
            step.writer().removeRequestedClaims(requested.key());
        }
        boolean ended = isEnded(step, allocationId);
        for (VolumeKey key : Step.collect(step.reader().volumesClaimedBy(allocationId))) {
            step.reader().volume(key).ifPresent(volume -> release(step, volume, allocationId));
            if (ended) {
                step.reader().volume(key).ifPresent(volume -> endOwner(step, volume, allocationId));
            }
        }
    }

    private static boolean isEnded(Step step, AllocationId allocationId) {
        return step.reader().allocation(allocationId).map(Allocation::ended).orElse(true);
    }

    /**
     * Ends what an allocation has in a volume apart from claims. Its own volume is given up if it was never used, and
     * deleted if no claim is left; the last claim that is freed deletes it otherwise. A volume that was made for a claim of
     * the allocation, and outlives it, stays for the next claim.
     */
    private static void endOwner(Step step, Volume volume, AllocationId allocationId) {
        Optional<FirstClaim> first =
                volume.firstClaim().filter(claim -> claim.allocationId().equals(allocationId) && !claim.ended());
        boolean own = volume.owner().flatMap(VolumeOwner::ofAllocation).isPresent();
        if (first.isPresent() && own && !Verifications.isOlder(step.reader(), volume)) {
            GivenUp.discard(step, volume);
        } else if (first.isPresent() && !own) {
            step.store(volume.toBuilder()
                    .firstClaim(volume.isUnused() ? first.get().asEnded() : null));
            UnreferencedRows.removeGoneNode(step, first.get().nodeId());
        } else {
            Volume.Builder ended = withoutOwner(step, volume.toBuilder());
            if (ended.build().phase() != volume.phase()) {
                step.store(ended);
            }
        }
    }

    /** Returns whether a volume has to be deleted with its owner, which has ended, and no claim is left. */
    static boolean hasNoOwner(Step step, Volume volume) {
        VolumeOwner owner = volume.owner().orElse(null);
        boolean ended = owner instanceof VolumeOwner.OfAllocation of && isEnded(step, of.allocationId());
        if (owner instanceof VolumeOwner.OfWorkload workload) {
            ended = workload.endedAt().isPresent() && OwnerHandler.reclaim(volume) == ReclaimPolicy.DELETE;
        }
        return ended && volume.claims().isEmpty();
    }

    /**
     * Begins the deletion of a volume without claims whose owner has ended. Such a volume can still be CREATING: a node that
     * had it mounted reported that to a restored state. The deletion finds its id by the same CreateVolume request.
     */
    static Volume.Builder withoutOwner(Step step, Volume.Builder builder) {
        Volume volume = builder.build();
        if (volume.phase() == VolumePhase.DELETING || !hasNoOwner(step, volume)) {
            return builder;
        }
        step.effect(new Effect.DeletionBegun(volume.key()));
        return builder.phase(VolumePhase.DELETING).retry(Retry.none());
    }

    static void endNode(Step step, NodeId nodeId) {
        for (Allocation allocation : Step.collect(step.reader().allocationsOn(nodeId))) {
            if (!allocation.ended()) {
                step.writer().putAllocation(allocation.ended(step.index()));
                // Another node may have the volume mounted for the allocation, and its report became a claim.
                releaseClaims(step, allocation.id());
            }
        }
        for (VolumeKey key : Step.collect(step.reader().volumesOn(nodeId))) {
            step.reader().volume(key).ifPresent(volume -> releaseAllOn(step, volume, nodeId, claim -> true));
        }
        LeftoverHandler.endNode(step, nodeId);
        removeInstances(step, nodeId, instance -> true);
    }

    /**
     * Removes the plugin instances on a node that match the filter. Then removes the plugins that have neither a proved
     * instance nor a deployment any more.
     */
    static void removeInstances(Step step, NodeId nodeId, Predicate<PluginInstance> filter) {
        TreeSet<PluginId> plugins = new TreeSet<>();
        for (PluginInstance instance : Step.collect(step.reader().instancesOn(nodeId))) {
            if (filter.test(instance)) {
                step.writer().removeInstance(instance.key());
                if (instance.proved()) {
                    plugins.add(instance.key().pluginId());
                }
            }
        }
        plugins.forEach(plugin -> UnreferencedRows.removePlugin(step, plugin));
    }

    private static void release(Step step, Volume volume, AllocationId allocationId) {
        volume.claims()
                .get(allocationId)
                .filter(claim -> claim.state() == ClaimState.TAKEN)
                .ifPresent(claim -> {
                    step.store(volume.toBuilder().claims(volume.claims().with(releasable(claim))));
                    step.effect(new Effect.ClaimReleasable(volume.key(), allocationId));
                });
    }

    /** Makes the taken claims of a volume on a node that match the filter releasable. */
    static void releaseAllOn(Step step, Volume volume, NodeId nodeId, Predicate<Claim> filter) {
        Claims claims = volume.claims();
        for (Claim claim : volume.claims().on(nodeId)) {
            if (claim.state() == ClaimState.TAKEN && filter.test(claim)) {
                claims = claims.with(releasable(claim));
                step.effect(new Effect.ClaimReleasable(volume.key(), claim.allocationId()));
            }
        }
        if (!claims.equals(volume.claims())) {
            step.store(volume.toBuilder().claims(claims));
        }
    }

    static Claim releasable(Claim claim) {
        return claim.toBuilder()
                .state(ClaimState.UNPUBLISHING)
                .retry(Retry.none())
                .build();
    }
}
