package io.csi4j.testkit.internal.node;

import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.testkit.internal.storage.VolumeRecord;

/**
 * What staging and publishing do to the node. Making something that is there and removing something that is not are
 * both fine, so that an operation that was cut off in the middle can be repeated or undone.
 */
public interface NodeEffects {
    /** Nothing but the records: paths are only remembered. */
    NodeEffects NONE = new NodeEffects() {};

    /**
     * Says what the request asks for and this node cannot do.
     *
     * @param flags the mount flags of the request
     * @throws io.csi4j.testkit.internal.rule.Refusal INVALID_ARGUMENT, without quoting a flag
     */
    default void requireFlags(Iterable<String> flags) {}

    /**
     * Stages.
     *
     * @param request checked, without secrets
     */
    default void stage(NodeStageVolumeRequest request) {}

    /**
     * Whether something that was staged is still there; a reboot takes it away.
     *
     * @param request that staged
     * @return whether it is there
     */
    default boolean staged(NodeStageVolumeRequest request) {
        return true;
    }

    /**
     * Unstages.
     *
     * @param request that staged
     */
    default void unstage(NodeStageVolumeRequest request) {}

    /**
     * Publishes.
     *
     * @param request checked, without secrets
     * @param readonly whether nobody may write there
     */
    default void publish(NodePublishVolumeRequest request, boolean readonly) {}

    /**
     * Whether something that was published is still there; a reboot takes it away.
     *
     * @param request that published
     * @return whether it is there
     */
    default boolean published(NodePublishVolumeRequest request) {
        return true;
    }

    /**
     * Unpublishes.
     *
     * @param request that published
     * @param last whether the node holds nothing else of the volume
     */
    default void unpublish(NodePublishVolumeRequest request, boolean last) {}

    /**
     * Makes the node notice that a volume has grown.
     *
     * @param volume that has grown
     */
    default void grown(VolumeRecord volume) {}

    /**
     * How much of a volume is used.
     *
     * @return bytes and inodes
     */
    default Usage usage(VolumeRecord volume) {
        return new Usage(0, 0);
    }

    /**
     * What is used.
     *
     * @param bytes of contents
     * @param inodes files and directories
     */
    record Usage(long bytes, long inodes) {}
}
