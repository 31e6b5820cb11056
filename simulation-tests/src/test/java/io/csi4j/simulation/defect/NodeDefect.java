package io.csi4j.simulation.defect;

/** A defect of the node side; a test checks that the simulation finds it. */
enum NodeDefect {
    /** The agent answers the server before the volume is unmounted. */
    UNMOUNT_ANSWERED_BEFORE_DONE,
    /** An unmount that takes longer than two seconds is answered as done. */
    LATE_UNMOUNT_ANSWERED_AS_DONE,
    /** A volume is unstaged together with its first target, although others use the staging path. */
    UNSTAGED_WITH_FIRST_TARGET,
    /** A restarted agent unmounts what it finds in its ledger. */
    EVERYTHING_IS_UNMOUNTED_AT_START,
    /** Volumes are staged at a path for each attempt. */
    STAGING_PATH_CHANGES,
    /** A mount is handed out before its files belong to its group. */
    GROUP_IS_LATE,
    /** The root directory keeps the sign of the former group while the files are changed to another one. */
    ROOT_KEEPS_ITS_SIGN,
    /** The root directory gets the group before the files below it. */
    ROOT_IS_CHANGED_FIRST,
    /** A change of ownership that failed counts as done. */
    FAILED_CHANGE_COUNTS_AS_DONE,
    /** A node changes the files of a volume once, and not for a later mount. */
    SECOND_CHANGE_IS_SKIPPED,
    /** The files of a volume always get the group of its first mount on the node. */
    GROUP_OF_FIRST_MOUNT_STAYS,
    /** The owner of the root directory is not set. */
    ROOT_OWNER_IS_LOST,
    /** A request to change all files at each mount changes them on a mismatch only. */
    EACH_CHANGE_IS_ON_MISMATCH,
    /** A repeated NodePublishVolume does not say for which workload it is. */
    WORKLOAD_INFO_IS_LOST_WITH_THE_ANSWER,
    /** Each NodePublishVolume of a volume says that it is for the first workload. */
    WORKLOAD_INFO_IS_OF_FIRST_MOUNT,
    /** The group of a mount is sent to a plugin that cannot set it. */
    GROUP_IS_SENT_TO_ANY_PLUGIN,
    /** A repeated NodePublishVolume has the tokens of the first one. */
    TOKENS_OF_FIRST_CALL_ARE_KEPT,
    /** The tokens are in the secrets and in the context. */
    TOKENS_ARE_IN_BOTH_FIELDS,
    /** A repeated NodePublishVolume has no tokens. */
    TOKENS_ARE_LOST_IN_REPETITION,
    /** A NodePublishVolume has the tokens of another mount. */
    TOKENS_ARE_OF_ANOTHER_MOUNT,
    /** The agent takes no notice of the time at which a token runs out. */
    TOKEN_IS_SENT_LATE,
    /** A repeated NodePublishVolume is for reading. */
    REPETITION_HAS_OTHER_FIELDS,
    /** A volume is published once, although the agent believes that it was published again. */
    REPETITION_IS_SKIPPED,
    /** A restarted agent waits a whole interval until it publishes a mounted volume again. */
    DUE_TIME_IS_LOST_IN_RESTART,
    /** A volume is published once more after it was unmounted. */
    REPETITION_FOLLOWS_UNMOUNT,
    /** The label of a staging is not sent when its targets are published. */
    LABEL_IS_LOST_IN_PUBLISH,
    /** A repeated NodeStageVolume has no label. */
    LABEL_IS_LOST_IN_SECOND_STAGE,
    /** The agent believes that each mount has the label of its call. */
    DROPPED_LABEL_IS_NOT_NOTICED,
    /** The second target of a volume on a node gets another label. */
    SECOND_MOUNT_HAS_ANOTHER_LABEL,
    /** A claim to read is published for writing. */
    READONLY_IS_DROPPED,
    /** The second mount of an allocation is published for writing. */
    MODE_OF_SECOND_MOUNT_IS_LOST,
    /** The second mount of an allocation is published with the flags of the staging. */
    FLAGS_OF_SECOND_MOUNT_ARE_LOST,
    /** The context of the controller's publication does not reach the plugin. */
    PUBLISH_CONTEXT_IS_LOST,
    /** A block device is published as a mount. */
    BLOCK_IS_PUBLISHED_AS_MOUNT,
    /** Each call is sent twice at once. */
    CALLS_ARE_DOUBLED,
    /** A volume is published without the wait for its staging. */
    PUBLISHED_BEFORE_STAGED,
    /** The ledger of a node can no longer be written. */
    DISK_REFUSES_WRITES,
    /** The agent does not see its mounts, and the plugin's failures to unmount count as done. */
    UNMOUNT_IS_NOT_VERIFIED,
    /** The node does not unstage. */
    UNSTAGE_IS_SKIPPED,
    /** An inline volume counts as removed when its mount is gone, for example after a reboot. */
    INLINE_VOLUME_WITHOUT_MOUNT_COUNTS_AS_REMOVED,
    /** An agent that starts does not unmount what no longer runs. */
    ENDED_ALLOCATIONS_ARE_KEPT_AT_START;

    /** Whether the defect is in what only workloads with groups or information about them see. */
    boolean ofWorkloads() {
        return compareTo(ROOT_KEEPS_ITS_SIGN) >= 0 && compareTo(WORKLOAD_INFO_IS_OF_FIRST_MOUNT) <= 0;
    }

    /** Whether the defect is in what happens when mounted volumes are published again. */
    boolean ofRenewals() {
        return compareTo(TOKENS_OF_FIRST_CALL_ARE_KEPT) >= 0 && compareTo(REPETITION_FOLLOWS_UNMOUNT) <= 0;
    }

    /** Whether the defect is in the security labels of mounts. */
    boolean ofLabels() {
        return compareTo(LABEL_IS_LOST_IN_PUBLISH) >= 0 && compareTo(SECOND_MOUNT_HAS_ANOTHER_LABEL) <= 0;
    }
}
