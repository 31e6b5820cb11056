package io.csi4j.simulation;

/** A defect planted between the engine and its ports, to see whether the simulation finds it. */
enum PlantedDefect {
    /** The controller is told to detach before that intent is written. */
    UNPUBLISH_WITHOUT_INTENT,
    /** The node's part of a release counts as done before it was. */
    UNPUBLISH_BEFORE_NODE_DETACH,
    /** A failed node step counts as done. */
    FAILED_NODE_DETACH_COUNTS_AS_DONE,
    /** NOT_FOUND from ControllerUnpublishVolume counts as done (R68 forbids it). */
    UNPUBLISH_NOT_FOUND_COUNTS_AS_DONE,
    /** After an unknown outcome of ControllerPublishVolume the volume counts as not attached. */
    UNKNOWN_PUBLISH_COUNTS_AS_NOT_DONE,
    /** A node that is down counts as fenced. */
    DOWN_NODE_COUNTS_AS_FENCED,
    /** A claim is granted while its attachment is being made. */
    GRANTED_BEFORE_PUBLISHED,
    /** What a former leader left undone is not looked for. */
    NEW_LEADER_FINDS_NO_WORK,
    /** What failed is not tried again. */
    TIMERS_NEVER_FIRE,
    /** A node counts as left when one of its claims is off it, whoever else has one there. */
    NODE_COUNTS_AS_DETACHED_AFTER_FIRST_CLAIM,
    /** A node unstages a volume although another allocation uses the staging path. */
    UNSTAGED_WHILE_SHARED,
    /** An operator's word for one claim counts for all claims on its node. */
    OVERRIDE_APPLIES_TO_ALL_CLAIMS,
    /** What was taken for a claim that is cancelled, or fails, is not given back. */
    CANCELLED_CLAIM_IS_NOT_RELEASED,
    /** Who waits for a volume, a node or a plugin does not hear that it changed. */
    WAKE_UP_IS_LOST,
    /** After a command that the log refused, or did not answer, no timer is set for the next attempt. */
    NO_RETRY_AFTER_REJECTED_WRITE,
    /** A controller that comes into reach wakes no volume. */
    CONTROLLER_RETURN_WAKES_NO_VOLUME,
    /** Of several volumes the first is taken and held while the others are waited for. */
    CLAIMS_ARE_TAKEN_ONE_BY_ONE,
    /** A failed expansion counts as done. */
    FAILED_EXPANSION_COUNTS_AS_DONE,
    /** An expansion counts as finished once the controller did its part, though the nodes have theirs to do. */
    NODE_EXPANSION_IS_SKIPPED,
    /** An expansion counts as finished once one node of several did its part. */
    ONE_NODE_EXPANSION_COUNTS_FOR_ALL,
    /** A lost answer to a call that creates or deletes a volume counts as a clear answer. */
    UNRESOLVED_CALL_IS_FORGOTTEN,
    /** A leader takes it that what it wrote was accepted. */
    REJECTED_WRITE_COUNTS_AS_ACCEPTED,
    /** What came of a call is written to a newer wish than that it was made for. */
    RESULT_IS_RECORDED_FOR_NEWER_CHANGE,
    /** What came of a node step is written for a newer claim of the same allocation, too. */
    RESULT_IS_RECORDED_FOR_NEWER_CLAIM,
    /** A claim that comes to wait is not kept before those that come after it. */
    QUEUE_POSITION_IS_LOST,
    /** How many volumes a node takes never comes to the state. */
    NODE_LIMIT_IS_LOST,
    /** After a plugin refused a volume because the node is full, nobody asks it how much room there is. */
    FULL_NODE_IS_NOT_QUERIED,
    /** From where a volume can be reached, as CreateVolume answered, never comes to the engine. */
    TOPOLOGY_OF_CREATED_VOLUME_IS_LOST,
    /** Where a node is never comes to the state. */
    TOPOLOGY_OF_NODE_IS_LOST,
    /** A volume that is claimed as a block device is published to be mounted. */
    BLOCK_VOLUME_IS_PUBLISHED_AS_MOUNT,
    /** What is attached at the provider and wanted by nobody is not put on record. */
    ORPHAN_IS_NOT_RECORDED,
    /** What the provider does not list as attached counts as attached. */
    MISSING_ATTACHMENT_IS_IGNORED,
    /** What the provider lists is believed although it was so before the run began. */
    LISTING_IS_STALE,
    /** A snapshot counts as ready as soon as it is cut. */
    UNREADY_SNAPSHOT_COUNTS_AS_READY,
    /** Each attempt to have a snapshot cut is made under another name. */
    SNAPSHOT_RETRY_HAS_NEW_NAME,
    /** A group is deleted without one of its members. */
    GROUP_IS_DELETED_WITHOUT_MEMBER
}
