package io.csi4j.node.internal.mount;

import io.csi4j.core.id.AllocationId;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UserEntry;
import io.csi4j.node.internal.ledger.UserPhase;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the planner has to know besides the record.
 *
 * @param plugin what is known of the plugin now
 * @param bootId of this run of the machine; empty: not known
 * @param staging whether something is mounted at the staging path
 * @param targets whether something is mounted at the users' target paths
 * @param strayTargets where something is that the record does not list
 * @param strayStagings where something is staged that the record does not list
 * @param deferred what failed and is not yet due again
 * @param denied whose targets the plugin denies while the mount table, read now, shows a mount exactly there
 * @param directUnmount whether the policy allows to unmount them without the plugin
 */
public record MountFacts(
        PluginFact plugin,
        String bootId,
        Presence staging,
        Map<AllocationId, Presence> targets,
        List<Path> strayTargets,
        List<Path> strayStagings,
        Set<MountAction> deferred,
        Set<AllocationId> denied,
        boolean directUnmount) {
    /** Facts without a target that the plugin denies. */
    public MountFacts(
            PluginFact plugin,
            String bootId,
            Presence staging,
            Map<AllocationId, Presence> targets,
            List<Path> strayTargets,
            List<Path> strayStagings,
            Set<MountAction> deferred) {
        this(plugin, bootId, staging, targets, strayTargets, strayStagings, deferred, Set.of(), false);
    }

    public MountFacts withDenied(Set<AllocationId> allocations, boolean policy) {
        return new MountFacts(
                plugin, bootId, staging, targets, strayTargets, strayStagings, deferred, allocations, policy);
    }

    /** What the mount table says about a path. */
    public enum Presence {
        MOUNTED,
        ABSENT,
        /** The table could not be read. */
        UNKNOWN
    }

    /** What is known of a plugin. */
    public enum PluginFact {
        ABSENT,
        /** It has STAGE_UNSTAGE_VOLUME. */
        STAGES,
        /** It has it not. */
        DIRECT
    }

    public Presence target(AllocationId allocation) {
        return targets.getOrDefault(allocation, Presence.UNKNOWN);
    }

    /** Whether what a phase tells was before a reboot. Two unknown runs are not known to be different ones. */
    public boolean otherBoot(String recorded) {
        return !recorded.isEmpty() && !bootId.isEmpty() && !recorded.equals(bootId);
    }

    /** Whether a publication that was answered with OK is no longer there. */
    public boolean lost(UserEntry user) {
        return otherBoot(user.bootId()) || (user.seen() && target(user.allocationId()) == Presence.ABSENT);
    }

    public boolean lost(StagingEntry entry) {
        return otherBoot(entry.bootId()) || (entry.seen() && staging == Presence.ABSENT);
    }

    /** Whether a target is to be unmounted without the plugin: never that of a use that is not leaving. */
    public boolean unmountDirectly(UserEntry user) {
        return user.phase() == UserPhase.LEAVING
                && denied.contains(user.allocationId())
                && (directUnmount || user.order() != null);
    }

    /**
     * Whether something is at the target that a NodePublishVolume without an answer may have mounted. A plugin that
     * lost its own record of it would mount a second time on top.
     */
    public boolean foundAtTarget(UserEntry user) {
        return user.phase() == UserPhase.PUBLISHING
                && !user.mayRun()
                && target(user.allocationId()) == Presence.MOUNTED;
    }

    /** Whether it went while the machine ran: its plugin may not know that, and has to be told (R89). */
    public boolean gone(UserEntry user) {
        return user.phase() == UserPhase.PUBLISHED && lost(user) && !otherBoot(user.bootId());
    }

    public boolean gone(StagingEntry entry) {
        return entry.phase() == StagingPhase.STAGED && lost(entry) && !otherBoot(entry.bootId());
    }
}
