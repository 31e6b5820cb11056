package io.csi4j.node;

/** What the record says before an action, and after it was answered with OK. Pure. */
final class MountStep {
    private MountStep() {}

    /** The record as it has to be on disk before the call is made. */
    static VolumeEntry begun(VolumeEntry entry, MountAction action, String bootId) {
        if (action instanceof MountAction.Stage stage) {
            return entry.staged(new StagingEntry(stage.terms(), StagingPhase.STAGING, bootId, false));
        }
        if (action instanceof MountAction.Publish publish) {
            return entry.change(publish.allocationId(), user -> user.in(UserPhase.PUBLISHING, bootId, false));
        }
        StagingEntry staging = entry.staging();
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
    static VolumeEntry done(VolumeEntry entry, MountAction action, boolean seen) {
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
        if (action instanceof MountAction.Unpublish unpublish) {
            UserPhase phase =
                    entry.user(unpublish.allocationId()).map(UserEntry::phase).orElse(UserPhase.LEAVING);
            return phase == UserPhase.LEAVING
                    ? entry.without(unpublish.allocationId())
                    : entry.change(unpublish.allocationId(), user -> user.in(UserPhase.WANTED, "", false));
        }
        return action instanceof MountAction.Unstage ? entry.staged(null) : entry;
    }
}
