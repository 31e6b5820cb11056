package io.csi4j.node.internal.mount;

import io.csi4j.core.id.AllocationId;
import io.csi4j.node.DirectUnmount;
import io.csi4j.node.internal.ledger.MountTerms;
import java.nio.file.Path;

/** The next action for a volume. Equal actions are attempts of the same step. */
public sealed interface MountAction {
    /** Calls NodeStageVolume, in the terms of a user. */
    record Stage(MountTerms terms) implements MountAction {}

    /** Calls NodePublishVolume. */
    record Publish(AllocationId allocationId) implements MountAction {}

    /** Calls NodeUnpublishVolume. */
    record Unpublish(AllocationId allocationId) implements MountAction {}

    /** Unmounts a target that the plugin denies, without the plugin. */
    record DirectUnmount(AllocationId allocationId) implements MountAction {}

    /** Calls NodeUnstageVolume. */
    record Unstage() implements MountAction {}

    /** Calls NodeUnpublishVolume for what nobody wants there. */
    record UnpublishStray(Path target) implements MountAction {}

    /** Calls NodeUnstageVolume for what nobody wants there. */
    record UnstageStray(Path staging) implements MountAction {}

    /** Tells a user that it cannot be, because of another; nothing was done for it. */
    record Refuse(AllocationId allocationId, AllocationId holder) implements MountAction {}

    /** Removes the record: nothing is left of the volume here. */
    record Forget() implements MountAction {}

    /** Nothing is to be done: all is as wanted. */
    record Settled() implements MountAction {}

    /** Something is to be done, and cannot be now. */
    record Await(Why why) implements MountAction {}

    /** What is waited for. */
    enum Why {
        /** The plugin has to come. */
        PLUGIN("its plugin is not there, or not healthy"),
        /** A mount or unmount has to say which plugin and which external id it is. */
        IDENTITY("its record was lost; mount or unmount it to tell which plugin and external id it has"),
        /** Mounts of unknown owners have to go. */
        OWNERS("there are mounts of it without a record; unmount what is no longer in use"),
        /** What failed has to become due again. */
        RETRY("a step failed and is tried again soon");

        public final String text;

        Why(String text) {
            this.text = text;
        }
    }

    /** Whether it is a call that mounts something. */
    default boolean isMaking() {
        return this instanceof Stage || this instanceof Publish;
    }

    /** Whether it is a call to a plugin, or to the system in its place. */
    default boolean isCall() {
        return this instanceof Stage
                || this instanceof Publish
                || this instanceof Unpublish
                || this instanceof DirectUnmount
                || this instanceof Unstage
                || this instanceof UnpublishStray
                || this instanceof UnstageStray;
    }
}
