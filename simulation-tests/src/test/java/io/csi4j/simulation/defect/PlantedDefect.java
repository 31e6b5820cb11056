package io.csi4j.simulation.defect;

/** A defect between the engine and its ports; a test checks that the simulation finds it. */
enum PlantedDefect {
    /** ControllerUnpublishVolume is called before its intent is written. */
    UNPUBLISH_WITHOUT_INTENT,
    /** The node's part of a release counts as done before it is done. */
    UNPUBLISH_BEFORE_NODE_DETACH,
    /** A failed node step counts as done. */
    FAILED_NODE_DETACH_COUNTS_AS_DONE,
    /** NOT_FOUND from ControllerUnpublishVolume counts as done, which R68 forbids. */
    UNPUBLISH_NOT_FOUND_COUNTS_AS_DONE,
    /** After an unknown outcome of ControllerPublishVolume the volume counts as not attached. */
    UNKNOWN_PUBLISH_COUNTS_AS_NOT_DONE,
    /** A node that is down counts as fenced. */
    DOWN_NODE_COUNTS_AS_FENCED,
    /** The state does not know that it was restored from a backup, so no node is asked what it has mounted. */
    RESTORE_IS_NOT_NOTICED,
    /** A node that has not said what it has mounted counts as one that has nothing mounted. */
    MISSING_LEDGER_COUNTS_AS_EMPTY,
    /** A volume of a restored state counts as verified although the provider does not have it. */
    MISSING_VOLUME_COUNTS_AS_VERIFIED,
    /** One answer that the provider does not have a volume makes it lost. */
    ONE_ANSWER_LOSES_VOLUME,
    /** The engine does not notice that another machine is behind a node. */
    REPLACED_MACHINE_IS_NOT_NOTICED,
    /** A claim is granted while its attachment is still being published. */
    GRANTED_BEFORE_PUBLISHED,
    /** A new leader does not look for unfinished work. */
    NEW_LEADER_FINDS_NO_WORK,
    /** No timer fires, so failed calls are not retried. */
    TIMERS_NEVER_FIRE,
    /** A node counts as detached after one of its claims is released, although others remain. */
    NODE_COUNTS_AS_DETACHED_AFTER_FIRST_CLAIM,
    /** A node unstages a volume although another allocation uses the staging path. */
    UNSTAGED_WHILE_SHARED,
    /** An override of one claim counts for all claims on its node. */
    OVERRIDE_APPLIES_TO_ALL_CLAIMS,
    /** The volumes that a cancelled or failed claim has taken are not released. */
    CANCELLED_CLAIM_IS_NOT_RELEASED,
    /** Some changes of a volume do not reach its worker. */
    CHANGE_WAKES_NO_WORKER,
    /** A waiting claim is not notified when its volume, node or plugin changes. */
    WAKE_UP_IS_LOST,
    /** A grace period ends much too early. */
    GRACE_PERIOD_IS_CUT_SHORT,
    /** Waiting is measured with the clock of the server, which somebody may set. */
    WAITING_FOLLOWS_THE_CLOCK,
    /** After a rejected or unanswered command no timer is set for the retry. */
    NO_RETRY_AFTER_REJECTED_WRITE,
    /** A controller that becomes reachable wakes no volume. */
    CONTROLLER_RETURN_WAKES_NO_VOLUME,
    /** A claim is taken to read, although mounts of it write. */
    CLAIM_IS_TAKEN_TO_READ,
    /** A claim of several volumes takes the first one and holds it while it waits for the others. */
    CLAIMS_ARE_TAKEN_ONE_BY_ONE,
    /** A failed expansion counts as done. */
    FAILED_EXPANSION_COUNTS_AS_DONE,
    /** An expansion counts as complete after the controller's step, although the nodes have to expand as well. */
    NODE_EXPANSION_IS_SKIPPED,
    /** An expansion counts as complete after one of several nodes has expanded. */
    ONE_NODE_EXPANSION_COUNTS_FOR_ALL,
    /** A lost answer to CreateVolume or DeleteVolume counts as a clear answer. */
    UNRESOLVED_CALL_IS_FORGOTTEN,
    /** A leader treats rejected commands as accepted. */
    REJECTED_WRITE_COUNTS_AS_ACCEPTED,
    /** The result of a call is recorded for a newer requested change. */
    RESULT_IS_RECORDED_FOR_NEWER_CHANGE,
    /** The result of a node step is also recorded for a newer claim of the same allocation. */
    RESULT_IS_RECORDED_FOR_NEWER_CLAIM,
    /** A waiting claim does not keep its position before later claims. */
    QUEUE_POSITION_IS_LOST,
    /** The leader does not read the stored requests for claims. */
    STORED_REQUEST_IS_NOT_READ,
    /** The volume limit of a node does not reach the state. */
    NODE_LIMIT_IS_LOST,
    /** A plugin that refused a volume because its node is full is not queried for its capacity. */
    FULL_NODE_IS_NOT_QUERIED,
    /** The topology in the response of CreateVolume does not reach the engine. */
    TOPOLOGY_OF_CREATED_VOLUME_IS_LOST,
    /** The topology of a node does not reach the state. */
    TOPOLOGY_OF_NODE_IS_LOST,
    /** A volume that is claimed as a block device is published with a mount capability. */
    BLOCK_VOLUME_IS_PUBLISHED_AS_MOUNT,
    /** An attachment without a claim, found at the provider, is not recorded. */
    ORPHAN_IS_NOT_RECORDED,
    /** An attachment that the provider does not list counts as attached. */
    MISSING_ATTACHMENT_IS_IGNORED,
    /** The engine uses a listing from before the reconciliation began. */
    LISTING_IS_STALE,
    /** A snapshot counts as ready as soon as it is created. */
    UNREADY_SNAPSHOT_COUNTS_AS_READY,
    /** Each attempt to create a snapshot uses another name. */
    SNAPSHOT_RETRY_HAS_NEW_NAME,
    /** A group is deleted without one of its members. */
    GROUP_IS_DELETED_WITHOUT_MEMBER,
    /** An unmount that has succeeded is repeated many times. */
    UNMOUNT_IS_REPEATED,
    /** The engine takes an instance that has never answered for a healthy one. */
    UNPROVED_INSTANCE_IS_CALLED,
    /** A node reports an instance as healthy before it has answered. */
    UNPROVED_INSTANCE_COUNTS_AS_INSTANCE,
    /** The row of a volume that a claim made is removed instead of given up, although the provider has the volume. */
    MADE_VOLUME_IS_REMOVED,
    /** A volume for another place gets the name of the one before. */
    NAME_IS_USED_FOR_ANOTHER_PLACE,
    /** The topologies of a creation are computed again for each call. */
    TOPOLOGIES_ARE_COMPUTED_ANEW,
    /** The parameters of a creation are those that the class has at the time of the call. */
    CLASS_IS_READ_FOR_EACH_CALL,
    /** A refusal settles a creation, although an earlier call may have made the volume. */
    REFUSAL_SETTLES_EARLIER_CALLS,
    /** A volume that was used counts as unused when its claims are freed. */
    USED_VOLUME_COUNTS_AS_UNUSED,
    /** The volume of an allocation is deleted when the allocation ends, and not when its claim is freed. */
    OWNED_VOLUME_IS_DELETED_BEFORE_ITS_CLAIM_IS_FREED,
    /** A volume that was made is given up at once, although its claim waits for it. */
    AWAITED_VOLUME_IS_GIVEN_UP,
    /** The state does not learn that a workload has ended. */
    END_OF_WORKLOAD_IS_LOST,
    /** The volumes of a set stay when one of them is refused. */
    SET_IS_NOT_GIVEN_UP,
    /** A volume that was given up is never deleted. */
    GIVEN_UP_VOLUME_IS_FORGOTTEN,
    /** A volume in another place than the node's is used. */
    VOLUME_IN_WRONG_PLACE_IS_USED,
    /** A volume that is smaller than its template asks for is used. */
    SMALL_VOLUME_IS_USED,
    /** The volumes of a claim are made, and taken, one by one. */
    SET_IS_MADE_ONE_BY_ONE,
    /** A volume that no claim takes stays. */
    UNUSED_VOLUME_STAYS,
    /** A claim makes its volumes without a look at the quotas. */
    QUOTA_IS_NOT_CHECKED,
    /** The end of a workload deletes the volumes that its class retains. */
    RETAINED_VOLUME_IS_DELETED,
    /** The claim of an inline volume is never freed, so its row stays. */
    INLINE_CLAIM_IS_NOT_FREED,
    /** The state does not learn that a volume was given to another workload. */
    CHANGE_OF_OWNER_IS_LOST,
    /** The state does not learn that a volume got another reclaim policy. */
    CHANGE_OF_POLICY_IS_LOST,
    /** A volume that a node uses without a claim since a restore counts as unused. */
    USE_WITHOUT_CLAIM_IS_IGNORED,
    /** A use is unmounted under the name that its volume has in the state, and not under the one that the node reports. */
    USE_IS_UNMOUNTED_BY_ITS_NEW_NAME,
    /** The least capacity that a plugin has ever reported counts for ever. */
    OLD_CAPACITY_REFUSES_FOR_EVER,
    /** A server changes the state by a command that is not in the log. */
    STATE_CHANGES_BESIDE_LOG,
    /** The database accepts commands of a former leader. */
    FORMER_TERM_IS_ACCEPTED,
    /** A command whose commit has an unknown end is appended again without looking for it. */
    UNKNOWN_COMMIT_IS_REPEATED,
    /** A leader acts for longer than its lease. */
    LEADER_ACTS_AFTER_ITS_LEASE,
    /** A leader counts its lease from the answer of the database, and not from the sending of the statement. */
    LEASE_COUNTS_FROM_ANSWER,
    /** The engine does not ask the log before a call, so a leader that stood still calls before it is notified. */
    WOKEN_LEADER_CALLS_AT_ONCE;

    /** Whether it is a defect of volumes that claims make from templates. */
    boolean ofTemplates() {
        return compareTo(MADE_VOLUME_IS_REMOVED) >= 0 && compareTo(OLD_CAPACITY_REFUSES_FOR_EVER) <= 0;
    }

    /** Whether it is a defect of a log in a database. */
    boolean ofDatabase() {
        return compareTo(FORMER_TERM_IS_ACCEPTED) >= 0;
    }
}
