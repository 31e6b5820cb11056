package io.csi4j.node.internal.mount;

import io.csi4j.node.internal.ledger.GroupDelivery;
import io.csi4j.node.internal.ledger.LabelDelivery;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountAction.Reason;
import io.csi4j.node.internal.mount.MountFacts.PluginFact;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The planner of a volume. From the record and the facts, pure functions compute the next action, and the record before and after the
 * action. Mounts, unmounts and the recovery after a crash or a reboot all use these functions.
 *
 * <p>The order: old targets are unpublished, then the old staging is removed; then the new staging and the new targets are mounted.
 */
public final class MountPlan {
    private final VolumeEntry entry;
    private final MountFacts facts;
    private final Set<UseId> republishDue;
    private final List<MountAction> possible = new ArrayList<>();
    private @Nullable Reason reason;

    private MountPlan(VolumeEntry entry, MountFacts facts, Set<UseId> republishDue) {
        this.entry = entry;
        this.facts = facts;
        this.republishDue = republishDue;
    }

    public static MountAction next(VolumeEntry entry, MountFacts facts) {
        return next(entry, facts, Set.of());
    }

    /**
     * Returns the next action.
     *
     * @param republishDue the uses for which NodePublishVolume has to be repeated
     */
    public static MountAction next(VolumeEntry entry, MountFacts facts, Set<UseId> republishDue) {
        MountPlan plan = new MountPlan(entry, facts, republishDue);
        plan.decide();
        for (MountAction action : plan.possible) {
            if (!facts.deferred().contains(action)) {
                return action;
            }
        }
        if (!plan.possible.isEmpty()) {
            return new MountAction.Await(Reason.RETRY);
        }
        if (plan.reason != null) {
            return new MountAction.Await(plan.reason);
        }
        return plan.nothingIsLeft() ? new MountAction.Forget() : new MountAction.Settled();
    }

    private void decide() {
        refuse();
        if (!possible.isEmpty()) {
            return;
        }
        goings();
        if (staysStaged()) {
            comings();
        }
    }

    /**
     * Refuses the requested uses that are incompatible with the use of {@link #holder}. No call was made for the
     * refused uses.
     */
    private void refuse() {
        Optional<UseEntry> holder = holder();
        if (holder.isEmpty()) {
            return;
        }
        for (UseEntry use : entry.uses()) {
            if (use.phase() == UsePhase.WANTED && !fits(use, holder.get())) {
                possible.add(new MountAction.Refuse(
                        use.id(),
                        holder.get().allocationId(),
                        !use.terms().sameLabel(holder.get().terms())));
            }
        }
    }

    /**
     * Returns the use with which all other uses have to be compatible. This is the first use of the present staging or,
     * without a staging, the first use for which a call was made. If no call was made either, it is the first use.
     */
    private Optional<UseEntry> holder() {
        List<UseEntry> living = entry.living();
        if (entry.staging() != null) {
            return stagingHolder(entry);
        }
        Optional<UseEntry> published =
                living.stream().filter(use -> use.phase() != UsePhase.WANTED).findFirst();
        return published.isPresent() ? published : living.stream().findFirst();
    }

    /**
     * Returns the first use that shares the volume's staging and is not ending. Returns empty if the volume is not
     * staged.
     */
    public static Optional<UseEntry> stagingHolder(VolumeEntry entry) {
        StagingEntry staging = entry.staging();
        return staging == null
                ? Optional.empty()
                : entry.living().stream()
                        .filter(use -> use.terms().stagedAs(staging.terms()))
                        .findFirst();
    }

    private boolean fits(UseEntry use, UseEntry holder) {
        // Mount options are compared only if the volume is staged, or if the plugin stages volumes. If the plugin is
        // not running, it is unknown whether it stages, so no use is refused because of its mount options.
        boolean options = entry.staging() != null || stages();
        return options ? use.terms().stagedAs(holder.terms()) : use.terms().publishedBeside(holder.terms());
    }

    /** Returns whether the plugin stages the volume. An inline volume is not staged, whatever the plugin can do. */
    private boolean stages() {
        return facts.plugin() == PluginFact.STAGES
                && entry.living().stream().noneMatch(use -> use.terms().inline());
    }

    private void goings() {
        boolean stagingWent = entry.staging() != null && wentWithItsTargets(entry.staging());
        for (UseEntry use : entry.uses()) {
            if (facts.mayForget(use, entry.forgetOrder() != null)) {
                possible.add(new MountAction.ForgetTarget(use.id()));
                continue;
            }
            if (facts.unmountDirectly(use)) {
                // The direct unmount is not added by call(), because call() requires a running plugin.
                possible.add(new MountAction.DirectUnmount(use.id()));
                continue;
            }
            // Unpublishes a target whose mount disappeared. Otherwise a plugin that trusts its own record would answer
            // the next NodePublishVolume with OK and mount nothing.
            if (use.phase().goes() || facts.gone(use) || facts.foundAtTarget(use) || (stagingWent && published(use))) {
                call(new MountAction.Unpublish(use.id()));
            }
        }
        if (ownersUnknown()) {
            await(Reason.OWNERS);
            return;
        }
        facts.orphanedTargets().forEach(target -> call(new MountAction.UnpublishOrphan(target)));
        if (entry.anyMayBePublished() || !facts.orphanedTargets().isEmpty()) {
            return;
        }
        if (entry.staging() != null && !staysStaged()) {
            if (facts.mayForget(entry.staging(), entry.forgetOrder() != null)) {
                possible.add(new MountAction.ForgetStaging());
            } else {
                call(new MountAction.Unstage());
            }
        } else if (entry.staging() == null) {
            facts.orphanedStagings().forEach(staging -> call(new MountAction.UnstageOrphan(staging)));
        }
    }

    /**
     * Returns whether the present staging can be kept; true if there is none. A broken staging is kept only as long as
     * a target may be published from it.
     */
    private boolean staysStaged() {
        StagingEntry staging = entry.staging();
        return staging == null
                || (staging.phase() != StagingPhase.UNSTAGING
                        && !wentWithItsTargets(staging)
                        && (!facts.stagingBroken() || entry.anyMayBePublished())
                        && entry.living().stream().anyMatch(use -> use.terms().stagedAs(staging.terms())));
    }

    /**
     * Returns whether the mounts at the staging path and at all target paths of the volume have disappeared. If so, the
     * volume is unstaged before it is staged again.
     */
    private boolean wentWithItsTargets(StagingEntry staging) {
        return facts.gone(staging)
                && entry.uses().stream().filter(MountPlan::published).allMatch(facts::lost);
    }

    private static boolean published(UseEntry use) {
        return use.phase().mayBePublished() && !use.phase().goes();
    }

    private void comings() {
        List<UseEntry> wanted =
                entry.living().stream().filter(use -> !use.phase().goes()).toList();
        if (wanted.isEmpty()) {
            return;
        }
        StagingEntry staging = entry.staging();
        boolean stages = staging != null || stages();
        if (stages && !facts.orphanedStagings().isEmpty() && staging == null) {
            // Waits until the staging of an unknown owner is removed, because a volume has only one staging path on a
            // node (R85).
            await(Reason.OWNERS);
            return;
        }
        if (stages && (staging == null || staging.phase() == StagingPhase.STAGING || facts.lost(staging))) {
            MountTerms terms = stageTerms(wanted, staging);
            make(terms, new MountAction.Stage(terms));
            return;
        }
        for (UseEntry use : wanted) {
            if (use.phase().published() && !facts.otherBoot(use.bootId())) {
                if (use.phase() == UsePhase.OWNERSHIP && !facts.lost(use)) {
                    possible.add(
                            entry.checksOwnership(use)
                                    ? new MountAction.CheckOwnership(use.id())
                                    : new MountAction.ChangeOwnership(use.id()));
                }
                continue;
            }
            if (facts.stagingBroken()) {
                // A target that is published from a broken staging would be broken, too.
                await(Reason.BROKEN_STAGING);
            } else {
                make(use.terms(), new MountAction.Publish(use.id()));
            }
        }
        republishes(wanted);
    }

    /** Repeats NodePublishVolume last, for mounts that stay: never for a target that is, or has to be, unpublished. */
    private void republishes(List<UseEntry> wanted) {
        for (UseEntry use : wanted) {
            if (use.phase() == UsePhase.PUBLISHED
                    && use.renewal().repeats()
                    && republishDue.contains(use.id())
                    && !facts.lost(use)) {
                possible.add(new MountAction.Republish(use.id()));
            }
        }
    }

    /** Mounts only what was published to this machine: the ledger may have come here on the disk of another one. */
    private void make(MountTerms terms, MountAction action) {
        if (facts.otherMachine(terms)) {
            await(Reason.MACHINE);
        } else {
            call(action);
        }
    }

    /**
     * Returns the parameters for NodeStageVolume. A repeated call has the parameters of the earlier call (R29). For the
     * first call, and after a reboot, they come from the first use that fits.
     */
    private MountTerms stageTerms(List<UseEntry> wanted, @Nullable StagingEntry staging) {
        if (staging != null && !facts.otherBoot(staging.bootId())) {
            return staging.terms();
        }
        return wanted.stream()
                .map(UseEntry::terms)
                .filter(terms -> staging == null || terms.stagedAs(staging.terms()))
                .findFirst()
                .orElseGet(() -> wanted.get(0).terms())
                .withoutWorkload();
    }

    private boolean ownersUnknown() {
        return entry.rebuilt() && !facts.orphanedTargets().isEmpty();
    }

    private void call(MountAction action) {
        if (entry.id() == null) {
            await(Reason.IDENTITY);
        } else if (facts.plugin() == PluginFact.ABSENT) {
            await(Reason.PLUGIN);
        } else {
            possible.add(action);
        }
    }

    private void await(Reason reason) {
        if (this.reason == null) {
            this.reason = reason;
        }
    }

    private boolean nothingIsLeft() {
        return entry.hasNothing()
                && entry.uncertainSince() == 0
                && facts.orphanedTargets().isEmpty()
                && facts.orphanedStagings().isEmpty();
    }

    // ---- the record in the ledger

    /**
     * Returns the record to store for an entry. If the volume is being staged for its first use, it says that this use may be published
     * already. If the volume has no use that stays, it says that the volume may be unstaged already. The call of that intent needs no write
     * of its own. After a crash, the call is repeated or undone, which is harmless if it was never sent (R87, R91).
     */
    public static VolumeEntry stored(VolumeEntry entry) {
        StagingEntry staging = entry.staging();
        if (staging == null || entry.rebuilt()) {
            return entry;
        }
        List<UseEntry> living = entry.living();
        if (living.isEmpty()) {
            return entry.staged(staging.in(StagingPhase.UNSTAGING));
        }
        UseEntry first = living.get(0);
        boolean publishedNext = staging.phase() == StagingPhase.STAGING
                && first.phase() == UsePhase.WANTED
                && first.terms().stagedAs(staging.terms());
        return publishedNext ? entry.with(first.in(UsePhase.PUBLISHING, staging.bootId(), first.observed())) : entry;
    }

    /**
     * Returns whether a stored record has the intents of an entry. The results of calls may be missing in it: the response to
     * NodeStageVolume, and, if the volume has no use that stays, the responses to NodeUnpublishVolume.
     */
    public static boolean covers(VolumeEntry stored, VolumeEntry entry) {
        VolumeEntry known = stored;
        StagingEntry staging = entry.staging();
        StagingEntry before = stored.staging();
        if (staging != null
                && before != null
                && staging.phase() == StagingPhase.STAGED
                && before.phase() == StagingPhase.STAGING
                && before.terms().equals(staging.terms())
                && before.bootId().equals(staging.bootId())) {
            known = known.staged(staging);
        }
        if (entry.living().isEmpty()) {
            for (UseEntry use : stored.uses()) {
                if (!use.phase().living() && entry.use(use.id()).isEmpty()) {
                    known = known.without(use.id());
                }
            }
        }
        return known.equals(stored(entry));
    }

    // ---- the record before and after a call

    /**
     * Returns the record in which it is decided who gives the files to the group of the mounts, and who gives them their
     * security label. The decision is made before the first call that mounts the volume.
     *
     * @param possible who can do it now
     */
    public static VolumeEntry decided(VolumeEntry entry, MountAction action, GroupDelivery possible) {
        if (!action.isMaking()) {
            return entry;
        }
        boolean nothing = entry.staging() == null && !entry.anyMayBePublished();
        VolumeEntry labelled = nothing || entry.labelDelivery() == LabelDelivery.UNDECIDED
                ? entry.labelled(labelDelivery(entry, action))
                : entry;
        if (!nothing && entry.groupDelivery() != GroupDelivery.UNDECIDED) {
            return labelled;
        }
        boolean grouped = entry.living().stream()
                .anyMatch(use -> !use.terms().mountOptions().volumeMountGroup().isEmpty());
        return labelled.delivering(grouped ? possible : GroupDelivery.UNDECIDED);
    }

    private static LabelDelivery labelDelivery(VolumeEntry entry, MountAction action) {
        MountTerms terms = makes(entry, action);
        if (terms.mountOptions().securityLabel().isEmpty()) {
            return LabelDelivery.UNDECIDED;
        }
        return terms.labelByMount() ? LabelDelivery.MOUNT : LabelDelivery.HOST;
    }

    /** Returns the parameters of a call that mounts the volume. */
    static MountTerms makes(VolumeEntry entry, MountAction action) {
        return action instanceof MountAction.Stage stage
                ? stage.terms()
                : entry.use(Objects.requireNonNull(action.use(), "use"))
                        .orElseThrow()
                        .terms();
    }

    /** Returns the record to store before the call of an action. It says that the call may have been sent. */
    public static VolumeEntry begun(VolumeEntry entry, MountAction action, String bootId) {
        StagingEntry staging = entry.staging();
        if (action instanceof MountAction.Stage stage) {
            boolean observed = staging != null && staging.observed();
            return entry.staged(new StagingEntry(stage.terms(), StagingPhase.STAGING, bootId, observed));
        }
        if (action instanceof MountAction.Publish publish) {
            return entry.change(publish.use(), use -> use.in(UsePhase.PUBLISHING, bootId, use.observed()));
        }
        if (action instanceof MountAction.Unpublish unpublish) {
            return entry.resetUse(unpublish.use());
        }
        if (action instanceof MountAction.Unstage && staging != null) {
            return entry.staged(staging.in(StagingPhase.UNSTAGING));
        }
        return entry;
    }

    /**
     * Returns the record after a successful call. If an unmount of the use was requested during a call of
     * NodePublishVolume, the use stays recorded as one to unpublish.
     *
     * @param observed whether the mount table has the path now
     */
    public static VolumeEntry done(VolumeEntry entry, MountAction action, boolean observed) {
        VolumeEntry next = after(entry, action, observed);
        // The order ends with the unmount that it concerns.
        return next.forgetOrder() != null && !next.isUnmounting() ? next.ordered(null) : next;
    }

    private static VolumeEntry after(VolumeEntry entry, MountAction action, boolean observed) {
        StagingEntry staging = entry.staging();
        if (action instanceof MountAction.Stage && staging != null && staging.phase() == StagingPhase.STAGING) {
            return entry.staged(new StagingEntry(staging.terms(), StagingPhase.STAGED, staging.bootId(), observed));
        }
        if (action instanceof MountAction.Publish publish) {
            return entry.change(
                    publish.use(),
                    use -> use.phase() == UsePhase.PUBLISHING
                            ? use.in(
                                    entry.changesOwnership(use) || entry.checksOwnership(use)
                                            ? UsePhase.OWNERSHIP
                                            : UsePhase.PUBLISHED,
                                    use.bootId(),
                                    observed)
                            : use);
        }
        if (action.isAboutOwnership()) {
            return entry.change(
                    Objects.requireNonNull(action.use(), "use"),
                    use -> use.phase() == UsePhase.OWNERSHIP ? use.in(UsePhase.PUBLISHED) : use);
        }
        if (action instanceof MountAction.DirectUnmount unmount) {
            return after(entry, new MountAction.Unpublish(unmount.use()), observed);
        }
        if (action instanceof MountAction.ForgetTarget forget) {
            return after(entry, new MountAction.Unpublish(forget.use()), observed);
        }
        if (action instanceof MountAction.Unpublish unpublish) {
            UsePhase phase = entry.use(unpublish.use()).map(UseEntry::phase).orElse(UsePhase.LEAVING);
            return phase == UsePhase.LEAVING
                    ? entry.without(unpublish.use())
                    : entry.change(unpublish.use(), use -> use.in(UsePhase.WANTED, "", use.observed()));
        }
        return action instanceof MountAction.Unstage || action instanceof MountAction.ForgetStaging
                ? entry.staged(wantedAgain(entry))
                : entry;
    }

    /**
     * Returns the staging to record after NodeUnstageVolume succeeded. If the removed staging was a mount point and a
     * use still needs it, returns a staging that has to be made again; otherwise null.
     */
    private static @Nullable StagingEntry wantedAgain(VolumeEntry entry) {
        StagingEntry staging = entry.staging();
        if (staging == null || !staging.observed()) {
            return null;
        }
        return entry.living().stream()
                .map(UseEntry::terms)
                .filter(terms -> terms.stagedAs(staging.terms()))
                .findFirst()
                .map(terms -> new StagingEntry(terms, StagingPhase.STAGING, "", true))
                .orElse(null);
    }

    /**
     * Returns the record after a plugin has mounted without the security label: what it has made is removed first. Targets of
     * an earlier boot are not mounted any more, so they do not keep the staging.
     */
    public static VolumeEntry unlabelled(VolumeEntry entry, MountAction action) {
        StagingEntry staging = entry.staging();
        if (action instanceof MountAction.Publish publish) {
            return entry.resetUse(publish.use());
        }
        if (staging == null) {
            return entry;
        }
        VolumeEntry next = entry.staged(staging.in(StagingPhase.UNSTAGING));
        for (UseEntry use : entry.uses()) {
            boolean earlierBoot = !use.bootId().isEmpty()
                    && !staging.bootId().isEmpty()
                    && !use.bootId().equals(staging.bootId());
            next = earlierBoot ? next.resetUse(use.id()) : next;
        }
        return next;
    }

    /**
     * Returns the record after a plugin answered NodeStageVolume or NodePublishVolume with OK, but the path is no
     * longer the mount point that it was before. A target path is unpublished before the next attempt, so that the
     * plugin drops its own record of the mount.
     */
    public static VolumeEntry vain(VolumeEntry entry, MountAction action) {
        return action instanceof MountAction.Publish publish
                ? entry.resetUse(publish.use())
                : done(entry, action, true);
    }
}
