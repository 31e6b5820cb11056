package io.csi4j.node.internal.ledger;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.node.NodeVolumeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The record of a volume on this node: the requested uses and their progress. Immutable.
 *
 * @param key the volume
 * @param id the volume with its plugin and external id; null: the record was rebuilt from paths, which do not contain these ids
 * @param staging the staging, or null
 * @param uses the uses in the order of their requests
 * @param rebuilt whether the earlier record was lost; a mount that no use explains then belongs to an unknown owner
 * @param uncertainSince the time at which a call with an unknown outcome was last undone, in milliseconds since the epoch; 0: never. The
 *     call may still take effect (R30), so its record is kept for a while
 * @param forgetOrder an operator's order to finish the unmount of the volume without its plugin; only while something of
 *     the volume is being unmounted
 * @param groupDelivery who gives the files to the group of the uses
 * @param labelDelivery who gives the files their security label
 */
public record VolumeEntry(
        VolumeKey key,
        @Nullable NodeVolumeId id,
        @Nullable StagingEntry staging,
        List<UseEntry> uses,
        boolean rebuilt,
        long uncertainSince,
        @Nullable UnmountOrder forgetOrder,
        GroupDelivery groupDelivery,
        LabelDelivery labelDelivery) {
    public VolumeEntry {
        uses = List.copyOf(uses);
    }

    public VolumeEntry(
            VolumeKey key,
            @Nullable NodeVolumeId id,
            @Nullable StagingEntry staging,
            List<UseEntry> uses,
            boolean rebuilt,
            long uncertainSince) {
        this(key, id, staging, uses, rebuilt, uncertainSince, null, GroupDelivery.UNDECIDED, LabelDelivery.UNDECIDED);
    }

    public static VolumeEntry empty(VolumeKey key, boolean rebuilt) {
        return new VolumeEntry(key, null, null, List.of(), rebuilt, 0);
    }

    public Optional<UseEntry> use(UseId wanted) {
        return uses.stream().filter(use -> use.id().equals(wanted)).findFirst();
    }

    /** Returns the uses of all mounts of an allocation. */
    public List<UseEntry> usesOf(AllocationId allocation) {
        return uses.stream()
                .filter(use -> use.allocationId().equals(allocation))
                .toList();
    }

    public List<UseEntry> living() {
        return uses.stream().filter(use -> use.phase().living()).toList();
    }

    public boolean anyMayBePublished() {
        return uses.stream().anyMatch(use -> use.phase().mayBePublished());
    }

    public boolean hasNothing() {
        return uses.isEmpty() && staging == null;
    }

    public VolumeEntry identifiedAs(NodeVolumeId known) {
        return new VolumeEntry(
                key, known, staging, uses, rebuilt, uncertainSince, forgetOrder, groupDelivery, labelDelivery);
    }

    public VolumeEntry uncertainAt(long millis) {
        return new VolumeEntry(key, id, staging, uses, rebuilt, millis, forgetOrder, groupDelivery, labelDelivery);
    }

    public VolumeEntry complete() {
        return new VolumeEntry(
                key, id, staging, uses, false, uncertainSince, forgetOrder, groupDelivery, labelDelivery);
    }

    public VolumeEntry ordered(@Nullable UnmountOrder order) {
        return new VolumeEntry(key, id, staging, uses, rebuilt, uncertainSince, order, groupDelivery, labelDelivery);
    }

    /**
     * Returns whether something of the volume is being unmounted: a target, or the staging because no use needs it or it
     * has to be made again.
     */
    public boolean isUnmounting() {
        return uses.stream().anyMatch(use -> use.phase() == UsePhase.LEAVING)
                || (staging != null && (staging.phase() == StagingPhase.UNSTAGING || living().isEmpty()));
    }

    public VolumeEntry delivering(GroupDelivery by) {
        return new VolumeEntry(key, id, staging, uses, rebuilt, uncertainSince, forgetOrder, by, labelDelivery);
    }

    public VolumeEntry labelled(LabelDelivery by) {
        return new VolumeEntry(key, id, staging, uses, rebuilt, uncertainSince, forgetOrder, groupDelivery, by);
    }

    /**
     * Returns the parameters that calls get for a mount of this volume: without the group if the node changes the files, and
     * with the security label if the plugin gets it.
     */
    public MountTerms called(MountTerms terms) {
        MountTerms grouped = groupDelivery == GroupDelivery.NODE ? terms.withoutGroup() : terms;
        return labelDelivery == LabelDelivery.MOUNT ? grouped.withLabelFlag() : grouped;
    }

    /** Returns the security label that a mount with these parameters has in the mount table; empty if it need not have one. */
    public Optional<SecurityLabel> mountedLabel(MountTerms terms) {
        return labelDelivery == LabelDelivery.MOUNT ? terms.mountOptions().securityLabel() : Optional.empty();
    }

    /** Returns whether the node gives the files to the group of a use after its NodePublishVolume. */
    public boolean changesOwnership(UseEntry use) {
        return groupDelivery == GroupDelivery.NODE
                && !use.terms().readonly()
                && !use.terms().mountOptions().volumeMountGroup().isEmpty();
    }

    /** Returns whether the node looks after NodePublishVolume whether the plugin has set the group of a use. */
    public boolean checksOwnership(UseEntry use) {
        return groupDelivery == GroupDelivery.PLUGIN
                && !use.terms().mountOptions().volumeMountGroup().isEmpty();
    }

    public VolumeEntry staged(@Nullable StagingEntry next) {
        return new VolumeEntry(key, id, next, uses, rebuilt, uncertainSince, forgetOrder, groupDelivery, labelDelivery);
    }

    public VolumeEntry with(UseEntry use) {
        List<UseEntry> next = new ArrayList<>(uses);
        int at = 0;
        while (at < next.size() && !next.get(at).id().equals(use.id())) {
            at++;
        }
        if (at < next.size()) {
            next.set(at, use);
        } else {
            next.add(use);
        }
        return withUses(next);
    }

    public VolumeEntry without(UseId ended) {
        return withUses(uses.stream().filter(use -> !use.id().equals(ended)).toList());
    }

    /** Returns a copy in which a use is changed; the same entry if there is no such use. */
    public VolumeEntry change(UseId changed, UnaryOperator<UseEntry> change) {
        return use(changed).map(change).map(this::with).orElse(this);
    }

    /** Returns a copy in which a use is ending. */
    public VolumeEntry leave(UseId ending) {
        Optional<UseEntry> use = use(ending);
        if (use.isEmpty()) {
            return this;
        }
        return use.get().phase() == UsePhase.WANTED
                ? without(ending)
                : with(use.get().in(UsePhase.LEAVING));
    }

    /** Returns a copy in which the staging and all targets have to be unmounted and mounted again, because the staging is broken. */
    public VolumeEntry reset() {
        VolumeEntry next = staging == null ? this : staged(staging.in(StagingPhase.UNSTAGING));
        for (UseEntry use : uses) {
            next = next.resetUse(use.id());
        }
        return next;
    }

    /** Returns a copy in which one target has to be unmounted and mounted again. */
    public VolumeEntry resetUse(UseId reset) {
        return change(
                reset,
                use -> use.phase().published() || use.phase() == UsePhase.PUBLISHING
                        ? use.in(UsePhase.RESETTING)
                        : use);
    }

    private VolumeEntry withUses(List<UseEntry> next) {
        return new VolumeEntry(
                key, id, staging, next, rebuilt, uncertainSince, forgetOrder, groupDelivery, labelDelivery);
    }
}
