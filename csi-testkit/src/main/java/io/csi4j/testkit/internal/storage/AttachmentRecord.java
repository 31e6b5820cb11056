package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.VolumeCapability;
import java.util.Map;

/**
 * A volume published to a node by the controller.
 *
 * @param capability it was published with
 * @param readonly whether it was published for reading only
 * @param id new for every attachment, so that a stale publish context is noticed
 */
public record AttachmentRecord(String nodeId, VolumeCapability capability, boolean readonly, String id) {
    static final String CONTEXT_KEY = "attachment";

    /**
     * What the caller has to hand to the node (R63).
     *
     * @return one entry
     */
    public Map<String, String> publishContext() {
        return Map.of(CONTEXT_KEY, id);
    }
}
