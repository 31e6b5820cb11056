package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
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
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
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
        for (VolumeKey key : Step.collect(step.reader().volumesClaimedBy(allocationId))) {
            step.reader().volume(key).ifPresent(volume -> release(step, volume, allocationId));
        }
    }

    static void endNode(Step step, NodeId nodeId) {
        for (Allocation allocation : Step.collect(step.reader().allocationsOn(nodeId))) {
            if (!allocation.ended()) {
                step.writer()
                        .putAllocation(new Allocation(
                                allocation.id(),
                                allocation.namespace(),
                                nodeId,
                                allocation.deployment(),
                                AllocationStatus.ENDED,
                                step.index()));
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
