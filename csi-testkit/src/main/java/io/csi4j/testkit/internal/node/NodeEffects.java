package io.csi4j.testkit.internal.node;

import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.testkit.internal.storage.VolumeRecord;

/**
 * The effects of staging and publishing on the node. All methods are idempotent, so that an interrupted operation can be repeated or
 * undone.
 */
public interface NodeEffects {
    /** No effects: paths are only recorded. */
    NodeEffects NONE = new NodeEffects() {};

    /**
     * Refuses mount flags that this node does not support.
     *
     * @param flags the mount flags of the request
     * @throws io.csi4j.testkit.internal.rule.CallRefusal INVALID_ARGUMENT, without quoting a flag
     */
    default void requireFlags(Iterable<String> flags) {}

    /**
     * Stages a volume.
     *
     * @param request the checked request, without secrets
     */
    default void stage(NodeStageVolumeRequest request) {}

    /**
     * Returns whether a staged volume is still mounted; a reboot removes mounts.
     *
     * @param request the request that staged the volume
     */
    default boolean staged(NodeStageVolumeRequest request) {
        return true;
    }

    /**
     * Unstages a volume.
     *
     * @param request the request that staged the volume
     */
    default void unstage(NodeStageVolumeRequest request) {}

    /**
     * Publishes a volume.
     *
     * @param request the checked request, without secrets
     * @param readonly whether the target refuses writes
     */
    default void publish(NodePublishVolumeRequest request, boolean readonly) {}

    /**
     * Returns whether a published volume is still mounted; a reboot removes mounts.
     *
     * @param request the request that published the volume
     */
    default boolean published(NodePublishVolumeRequest request) {
        return true;
    }

    /**
     * Unpublishes a volume.
     *
     * @param request the request that published the volume
     * @param last whether the node has no other use of the volume
     */
    default void unpublish(NodePublishVolumeRequest request, boolean last) {}

    /** Makes the node use the new size of an expanded volume. */
    default void grown(VolumeRecord volume) {}

    /** Returns how much of a volume is used. */
    default Usage usage(VolumeRecord volume) {
        return new Usage(0, 0);
    }

    /**
     * The used part of a volume.
     *
     * @param bytes the bytes of its contents
     * @param inodes the number of files and directories
     */
    record Usage(long bytes, long inodes) {}
}
