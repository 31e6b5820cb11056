package io.csi4j.node.internal.mount;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.AllocationId;
import io.csi4j.node.DirectUnmount;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.UseId;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The next action for a volume. If an action equals the previous one, it is a repeated attempt at the same step. */
public sealed interface MountAction {
    /** Calls NodeStageVolume with the parameters of a mount request. */
    record Stage(MountTerms terms) implements MountAction {}

    /** Calls NodePublishVolume. */
    record Publish(UseId use) implements MountAction {}

    /** Calls NodePublishVolume again for a mounted target. Whatever its result, the mount and the use stay. */
    record Republish(UseId use) implements MountAction {}

    /** Gives the files of a published target to its group, without the plugin. */
    record ChangeOwnership(UseId use) implements MountAction {}

    /** Looks whether the plugin has given a published target to its group. */
    record CheckOwnership(UseId use) implements MountAction {}

    /** Calls NodeUnpublishVolume. */
    record Unpublish(UseId use) implements MountAction {}

    /** Unmounts a target without the plugin, because the plugin answers that it has no such mount. */
    record DirectUnmount(UseId use) implements MountAction {}

    /** Calls NodeUnstageVolume. */
    record Unstage() implements MountAction {}

    /** Calls NodeUnpublishVolume for a target path that no allocation needs. */
    record UnpublishOrphan(Path target) implements MountAction {}

    /** Calls NodeUnstageVolume for a staging path that no allocation needs. */
    record UnstageOrphan(Path staging) implements MountAction {}

    /** Removes a use from the record without a call, because its target is not mounted. */
    record ForgetTarget(UseId use) implements MountAction {}

    /** Removes the staging from the record without a call, because it is not mounted. */
    record ForgetStaging() implements MountAction {}

    /**
     * Refuses a use because it is incompatible with another use; no call was made for the refused use.
     *
     * @param otherLabel whether the two have different security labels
     */
    record Refuse(UseId use, AllocationId holder, boolean otherLabel) implements MountAction {
        Refuse(UseId use, AllocationId holder) {
            this(use, holder, false);
        }
    }

    /** Removes the record, because nothing is left of the volume on this node. */
    record Forget() implements MountAction {}

    /** Does nothing, because the volume is already as requested. */
    record Settled() implements MountAction {}

    /** Waits, because the next action is not possible now. */
    record Await(Reason reason) implements MountAction {}

    /** The reason why a volume has to wait. */
    enum Reason {
        /** The plugin is missing or unhealthy. */
        PLUGIN("its plugin is not there, or not healthy"),
        /**
         * The record was lost. The plugin and the external id of the volume are unknown until a mount or unmount
         * request contains them.
         */
        IDENTITY("its record was lost; mount or unmount it to tell which plugin and external id it has"),
        /** The volume was published to another machine than the plugin says this is. */
        MACHINE("its plugin reports another external id for this node than the volume was published to; nothing is"
                + " mounted with what was made for the other one, until the volume is granted again"),
        /** Mounts of unknown owners have to be unmounted first. */
        OWNERS("there are mounts of it without a record; unmount what is no longer in use"),
        /** The mount at the staging path fails, and other allocations use it. */
        BROKEN_STAGING("the mount at its staging path fails and other allocations use it; unmount it for them, then it"
                + " is staged again, or set the policy for broken mounts to REPAIR"),
        /** A failed action waits for the end of its backoff. */
        RETRY("a step failed and is tried again soon");

        public final String text;

        Reason(String text) {
            this.text = text;
        }
    }

    /** Returns whether the action is a call that mounts the volume. */
    default boolean isMaking() {
        return this instanceof Stage || this instanceof Publish;
    }

    /** Returns whether the action comes between NodePublishVolume and the report of the mount. */
    default boolean isAboutOwnership() {
        return this instanceof ChangeOwnership || this instanceof CheckOwnership;
    }

    /** Returns whether the action removes a mount. */
    default boolean isUnmaking() {
        return isCall() && !isMaking() && !isAboutOwnership() && !(this instanceof Republish);
    }

    /** Returns whether the action needs no plugin. */
    default boolean isWithoutPlugin() {
        return this instanceof DirectUnmount || isAboutOwnership();
    }

    /** Returns whether the action calls a plugin, or does the same without the plugin, and takes its time. */
    default boolean isCall() {
        return this instanceof Stage
                || this instanceof Publish
                || this instanceof Republish
                || isAboutOwnership()
                || this instanceof Unpublish
                || this instanceof DirectUnmount
                || this instanceof Unstage
                || this instanceof UnpublishOrphan
                || this instanceof UnstageOrphan;
    }

    /** Returns the RPC that the action calls; empty if it calls none. */
    default Optional<Rpc> rpc() {
        if (this instanceof Stage) {
            return Optional.of(Rpc.NODE_STAGE_VOLUME);
        }
        if (this instanceof Publish || this instanceof Republish) {
            return Optional.of(Rpc.NODE_PUBLISH_VOLUME);
        }
        if (this instanceof Unpublish || this instanceof UnpublishOrphan) {
            return Optional.of(Rpc.NODE_UNPUBLISH_VOLUME);
        }
        return this instanceof Unstage || this instanceof UnstageOrphan
                ? Optional.of(Rpc.NODE_UNSTAGE_VOLUME)
                : Optional.empty();
    }

    /** Returns the use that the action concerns; null if it concerns the volume, or no use of the record. */
    default @Nullable UseId use() {
        return null;
    }

    /** Returns the allocation of the use that the action concerns; null if it concerns none. */
    default @Nullable AllocationId allocation() {
        UseId use = use();
        return use == null ? null : use.allocationId();
    }
}
