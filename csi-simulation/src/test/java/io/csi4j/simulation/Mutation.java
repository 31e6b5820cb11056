package io.csi4j.simulation;

/** A defect planted between the engine and its ports, to see whether the simulation finds it. */
enum Mutation {
    /** The controller is told to detach before that intent is written. */
    UNPUBLISH_WITHOUT_INTENT,
    /** The node's part of a release counts as done before it was. */
    DETACH_BEFORE_NODE_STEP,
    /** A failed node step counts as done. */
    NODE_STEP_UNCONFIRMED,
    /** NOT_FOUND from ControllerUnpublishVolume counts as done (R68 forbids it). */
    NOT_FOUND_IS_DONE,
    /** After an unknown outcome of ControllerPublishVolume the volume counts as not attached. */
    UNKNOWN_IS_NOT_DONE,
    /** A node that is down counts as fenced. */
    DOWN_IS_LOST,
    /** A claim is granted while its attachment is being made. */
    GRANTED_BEFORE_PUBLISHED,
    /** What a former leader left undone is not looked for. */
    NOTHING_IS_FOUND_AT_START,
    /** What failed is not tried again. */
    RETRIES_ARE_FORGOTTEN,
    /** A node counts as left when one of its claims is off it, whoever else has one there. */
    CLAIMS_COUNT_AND_NOT_NODES,
    /** A node unstages a volume although another allocation uses the staging path. */
    UNSTAGED_UNDER_OTHERS,
    /** An operator's word for one claim counts for all claims on its node. */
    OVERRIDE_COUNTS_FOR_ALL,
    /** What was taken for a claim that is cancelled, or fails, is not given back. */
    CANCELLED_CLAIM_STAYS,
    /** Who waits for a volume, a node or a plugin does not hear that it changed. */
    WAKE_UP_IS_LOST,
    /** After a command that the log refused, or did not answer, no timer is set for the next attempt. */
    REFUSED_WRITE_SETS_NO_TIMER,
    /** A controller that comes into reach wakes no volume. */
    CONTROLLER_BACK_WAKES_NOBODY,
    /** Of several volumes the first is taken and held while the others are waited for. */
    HALF_IS_TAKEN,
    /** A failed expansion counts as done. */
    EXPANSION_UNCONFIRMED,
    /** An expansion counts as finished once the controller did its part, though the nodes have theirs to do. */
    EXPANSION_FORGETS_NODES,
    /** An expansion counts as finished once one node of several did its part. */
    EXPANSION_FORGETS_OTHER_NODES,
    /** A lost answer to a call that creates or deletes a volume counts as a clear answer. */
    UNRESOLVED_CALL_IS_FORGOTTEN,
    /** A leader takes it that what it wrote was accepted. */
    WRITES_ARE_BELIEVED,
    /** What came of a call is written to a newer wish than that it was made for. */
    RESULT_FOR_NEWER_WISH,
    /** What came of a node step is written for a newer claim of the same allocation, too. */
    RESULT_FOR_NEWER_CLAIM,
    /** A claim that comes to wait is not kept before those that come after it. */
    TURN_IS_LOST,
    /** How many volumes a node takes never comes to the state. */
    NODE_LIMIT_IS_LOST,
    /** After a plugin refused a volume because the node is full, nobody asks it how much room there is. */
    FULL_NODE_IS_NOT_ASKED,
    /** From where a volume can be reached, as CreateVolume answered, never comes to the engine. */
    PLACE_OF_MADE_IS_LOST,
    /** Where a node is never comes to the state. */
    PLACE_OF_NODE_IS_LOST,
    /** A volume that is claimed as a block device is published to be mounted. */
    DEVICE_IS_MOUNTED,
    /** What is attached at the provider and wanted by nobody is not put on record. */
    STRAY_IS_LEFT,
    /** What the provider does not list as attached counts as attached. */
    MISSING_IS_NOT_SEEN,
    /** What the provider lists is believed although it was so before the run began. */
    PAGES_ARE_OLD,
    /** A snapshot counts as ready as soon as it is cut. */
    SNAPSHOT_IS_TAKEN_FOR_READY,
    /** Each attempt to have a snapshot cut is made under another name. */
    SNAPSHOT_HAS_A_NEW_NAME,
    /** A group is deleted without one of its members. */
    GROUP_LOSES_A_MEMBER
}
