package io.csi4j.node.internal.mount;

import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UserEntry;
import io.csi4j.node.internal.ledger.UserPhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import org.jspecify.annotations.Nullable;

/** What the record says before an action, and after it was answered with OK. Pure. */
public final class MountStep {
    private MountStep() {}

    /** The record as it has to be on disk before the call is made. */
    public static VolumeEntry begun(VolumeEntry entry, MountAction action, String bootId) {
        StagingEntry staging = entry.staging();
        if (action instanceof MountAction.Stage stage) {
            boolean seen = staging != null && staging.seen();
            return entry.staged(new StagingEntry(stage.terms(), StagingPhase.STAGING, bootId, seen));
        }
        if (action instanceof MountAction.Publish publish) {
            return entry.change(publish.allocationId(), user -> user.in(UserPhase.PUBLISHING, bootId, user.seen()));
        }
        if (action instanceof MountAction.Unpublish unpublish) {
            return entry.resetUser(unpublish.allocationId());
        }
        if (action instanceof MountAction.Unstage && staging != null) {
            return entry.staged(staging.in(StagingPhase.UNSTAGING));
        }
        return entry;
    }

    /**
     * The record after the call. A wish that changed while the call was under way stands: what was published for
     * somebody who is leaving by now stays to be unpublished.
     *
     * @param seen whether the mount table shows something at the path now
     */
    public static VolumeEntry done(VolumeEntry entry, MountAction action, boolean seen) {
        StagingEntry staging = entry.staging();
        if (action instanceof MountAction.Stage && staging != null && staging.phase() == StagingPhase.STAGING) {
            return entry.staged(new StagingEntry(staging.terms(), StagingPhase.STAGED, staging.bootId(), seen));
        }
        if (action instanceof MountAction.Publish publish) {
            return entry.change(
                    publish.allocationId(),
                    user -> user.phase() == UserPhase.PUBLISHING
                            ? user.in(UserPhase.PUBLISHED, user.bootId(), seen)
                            : user);
        }
        if (action instanceof MountAction.DirectUnmount unmount) {
            return done(entry, new MountAction.Unpublish(unmount.allocationId()), seen);
        }
        if (action instanceof MountAction.Unpublish unpublish) {
            UserPhase phase =
                    entry.user(unpublish.allocationId()).map(UserEntry::phase).orElse(UserPhase.LEAVING);
            return phase == UserPhase.LEAVING
                    ? entry.without(unpublish.allocationId())
                    : entry.change(unpublish.allocationId(), user -> user.in(UserPhase.WANTED, "", user.seen()));
        }
        return action instanceof MountAction.Unstage ? entry.staged(wantedAgain(entry)) : entry;
    }

    /** A staging that was a mount, and that somebody still wants, has to be a mount when it is made again. */
    private static @Nullable StagingEntry wantedAgain(VolumeEntry entry) {
        StagingEntry staging = entry.staging();
        if (staging == null || !staging.seen()) {
            return null;
        }
        return entry.living().stream()
                .map(UserEntry::terms)
                .filter(terms -> terms.stagedAs(staging.terms()))
                .findFirst()
                .map(terms -> new StagingEntry(terms, StagingPhase.STAGING, "", true))
                .orElse(null);
    }

    /**
     * The record after a plugin said that it is done, and what was seen there before is not there: it is taken away
     * before the next attempt, so that the plugin forgets it.
     */
    public static VolumeEntry vain(VolumeEntry entry, MountAction action) {
        return action instanceof MountAction.Publish publish
                ? entry.resetUser(publish.allocationId())
                : done(entry, action, true);
    }
}
