package io.csi4j.testkit.internal.node;

import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;

/** Stages and publishes volumes on one node. Callers have checked the form of the requests. */
public interface NodeOperations {
    /**
     * Stages a volume.
     *
     * @param secretRequest the caller's request; its secrets are not stored
     */
    void stage(NodeStageVolumeRequest secretRequest);

    /**
     * Unstages a volume.
     *
     * @param path the staging path; any other path needs no work (R87)
     */
    void unstage(String volumeId, String path);

    /**
     * Publishes a volume.
     *
     * @param secretRequest the caller's request; its secrets are not stored
     */
    void publish(NodePublishVolumeRequest secretRequest);

    /**
     * Unpublishes a volume.
     *
     * @param path the target path; any other path needs no work (R91)
     */
    void unpublish(String volumeId, String path);

    /** Completes or undoes the interrupted operation of an earlier process. */
    void recover();
}
