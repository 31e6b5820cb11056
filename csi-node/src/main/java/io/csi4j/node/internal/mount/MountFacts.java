package io.csi4j.node.internal.mount;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The facts that the planner uses in addition to the record of the volume.
 *
 * @param plugin the plugin's present state
 * @param bootId the present boot; empty: not known
 * @param staging whether the staging path is a mount point
 * @param targets whether the target paths of the uses are mount points
 * @param orphanedTargets targets that the record does not list
 * @param orphanedStagings stagings that the record does not list
 * @param deferred failed actions that wait for the end of their backoff
 * @param denied the uses whose targets are mounted although the plugin answers that they are not
 * @param directUnmount whether the options permit to unmount denied targets without the plugin
 * @param refused the unmounts that the plugin refused with its last answer
 * @param patienceOver whether the plugin has been missing, or has refused to unmount, for the longest time that the
 *     options permit
 * @param stagingBroken whether the last check found that the mount at the staging path fails, and it was not repaired
 * @param machine the plugin's id of this machine; empty if it is not known
 */
public record MountFacts(
        PluginFact plugin,
        String bootId,
        Presence staging,
        Map<UseId, Presence> targets,
        List<Path> orphanedTargets,
        List<Path> orphanedStagings,
        Set<MountAction> deferred,
        Set<UseId> denied,
        boolean directUnmount,
        Set<MountAction> refused,
        boolean patienceOver,
        boolean stagingBroken,
        Optional<ExternalNodeId> machine) {
    /** Creates facts without denied targets, refused unmounts, a broken staging, and an id of this machine. */
    public MountFacts(
            PluginFact plugin,
            String bootId,
            Presence staging,
            Map<UseId, Presence> targets,
            List<Path> orphanedTargets,
            List<Path> orphanedStagings,
            Set<MountAction> deferred) {
        this(
                plugin,
                bootId,
                staging,
                targets,
                orphanedTargets,
                orphanedStagings,
                deferred,
                Set.of(),
                false,
                Set.of(),
                false,
                false,
                Optional.empty());
    }

    public MountFacts withDenied(Set<UseId> uses, boolean policy) {
        return new MountFacts(
                plugin,
                bootId,
                staging,
                targets,
                orphanedTargets,
                orphanedStagings,
                deferred,
                uses,
                policy,
                refused,
                patienceOver,
                stagingBroken,
                machine);
    }

    /** Returns these facts with the unmounts that the plugin refuses. */
    public MountFacts withRefused(Set<MountAction> actions, boolean over) {
        return new MountFacts(
                plugin,
                bootId,
                staging,
                targets,
                orphanedTargets,
                orphanedStagings,
                deferred,
                denied,
                directUnmount,
                Set.copyOf(actions),
                over,
                stagingBroken,
                machine);
    }

    public MountFacts withStagingBroken(boolean broken) {
        return new MountFacts(
                plugin,
                bootId,
                staging,
                targets,
                orphanedTargets,
                orphanedStagings,
                deferred,
                denied,
                directUnmount,
                refused,
                patienceOver,
                broken,
                machine);
    }

    public MountFacts onMachine(Optional<ExternalNodeId> id) {
        return new MountFacts(
                plugin,
                bootId,
                staging,
                targets,
                orphanedTargets,
                orphanedStagings,
                deferred,
                denied,
                directUnmount,
                refused,
                patienceOver,
                stagingBroken,
                id);
    }

    /** Returns whether a volume was published to another machine than this one. */
    public boolean otherMachine(MountTerms terms) {
        return machine.isPresent()
                && terms.machine().filter(id -> !id.equals(machine.get())).isPresent();
    }

    /** Whether a path is in the mount table. */
    public enum Presence {
        MOUNTED,
        ABSENT,
        /** It is not known whether the path is mounted, because the mount table could not be read. */
        UNKNOWN
    }

    /** The state of a plugin. */
    public enum PluginFact {
        ABSENT,
        /** The plugin has STAGE_UNSTAGE_VOLUME. */
        STAGES,
        /** The plugin does not have STAGE_UNSTAGE_VOLUME. */
        DIRECT
    }

    public Presence target(UseId use) {
        return targets.getOrDefault(use, Presence.UNKNOWN);
    }

    /** Returns whether a phase was recorded before the last reboot. If one of the boot ids is unknown, no reboot is assumed. */
    public boolean otherBoot(String recorded) {
        return !recorded.isEmpty() && !bootId.isEmpty() && !recorded.equals(bootId);
    }

    /** Returns whether a target whose NodePublishVolume was answered with OK is no longer mounted. */
    public boolean lost(UseEntry use) {
        // A mount that the plugin has removed is not made again under a workload that may have written beside it.
        return otherBoot(use.bootId())
                || (use.observed() && !use.renewal().changed() && target(use.id()) == Presence.ABSENT);
    }

    public boolean lost(StagingEntry entry) {
        return otherBoot(entry.bootId()) || (entry.observed() && staging == Presence.ABSENT);
    }

    /** Returns whether a target has to be unmounted without the plugin; true only if its use is ending. */
    public boolean unmountDirectly(UseEntry use) {
        return use.phase() == UsePhase.LEAVING && denied.contains(use.id()) && (directUnmount || use.order() != null);
    }

    /**
     * Returns whether it is certain that the volume is not mounted at the target of an ending use: the machine was
     * booted since the last NodePublishVolume, or the mount that the mount table had after NodePublishVolume was
     * answered has disappeared. An absent mount proves nothing if it was never seen, or if a call may still make it.
     */
    private boolean provenGone(UseEntry use) {
        return target(use.id()) == Presence.ABSENT && (otherBoot(use.bootId()) || (use.answered() && use.observed()));
    }

    private boolean provenGone(StagingEntry entry) {
        return staging == Presence.ABSENT && (otherBoot(entry.bootId()) || (entry.wasAnswered() && entry.observed()));
    }

    /** Returns whether the plugin cannot or will not make the call of an unmount, for longer than the options permit. */
    private boolean hopeless(MountAction unmount) {
        return patienceOver && (plugin == PluginFact.ABSENT || refused.contains(unmount));
    }

    /**
     * Returns whether the unmount of a target is finished without the plugin: by an operator's order if nothing is
     * mounted there, or because it is certain that nothing is mounted and the plugin does not unmount it.
     */
    public boolean mayForget(UseEntry use, boolean ordered) {
        boolean byOrder = ordered && use.phase() == UsePhase.LEAVING && target(use.id()) == Presence.ABSENT;
        // The plugin keeps what it made for an inline volume until NodeUnpublishVolume, with or without a mount.
        return byOrder
                || (use.phase().goes()
                        && !use.terms().inline()
                        && provenGone(use)
                        && hopeless(new MountAction.Unpublish(use.id())));
    }

    /** Returns whether the removal of the staging is finished without the plugin; see the other method. */
    public boolean mayForget(StagingEntry entry, boolean ordered) {
        return (ordered && staging == Presence.ABSENT) || (provenGone(entry) && hopeless(new MountAction.Unstage()));
    }

    /**
     * Returns whether the target is mounted although NodePublishVolume had no response. If NodePublishVolume were
     * repeated now, a plugin that lost its own record would mount the volume a second time over the first mount.
     */
    public boolean foundAtTarget(UseEntry use) {
        return use.phase() == UsePhase.PUBLISHING && !use.mayRun() && target(use.id()) == Presence.MOUNTED;
    }

    /**
     * Returns whether the mount disappeared without a reboot. The plugin may not have noticed this, so
     * NodeUnpublishVolume is called for the target anyway (R89).
     */
    public boolean gone(UseEntry use) {
        return use.phase().published() && lost(use) && !otherBoot(use.bootId());
    }

    public boolean gone(StagingEntry entry) {
        return entry.phase() == StagingPhase.STAGED && lost(entry) && !otherBoot(entry.bootId());
    }
}
