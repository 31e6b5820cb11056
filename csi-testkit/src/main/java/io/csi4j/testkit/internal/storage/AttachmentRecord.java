package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.VolumeCapability;
import java.util.Map;

/**
 * A volume that the controller has published to a node.
 *
 * @param capability the published capability
 * @param readonly whether it is published readonly
 * @param id different for each attachment, so that a stale publish context is detected
 */
public record AttachmentRecord(String nodeId, VolumeCapability capability, boolean readonly, String id) {
    static final String CONTEXT_KEY = "attachment";

    /** Returns the publish context, which the caller passes to the node (R63). */
    public Map<String, String> publishContext() {
        return Map.of(CONTEXT_KEY, id);
    }
}
