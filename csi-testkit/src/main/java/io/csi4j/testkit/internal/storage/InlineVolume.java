package io.csi4j.testkit.internal.storage;

import io.csi4j.testkit.internal.store.Codec;
import io.csi4j.testkit.internal.store.RecordFields;
import java.util.Map;

/**
 * A volume that NodePublishVolume made on a node; NodeUnpublishVolume removes it.
 *
 * @param attributes the volume context of the request
 */
public record InlineVolume(String volumeId, Map<String, String> attributes) {
    static final Codec<InlineVolume> CODEC = new Codec<>(
            "inline-volume",
            InlineVolume::volumeId,
            volume -> new RecordFields().put("id", volume.volumeId()).put("attributes", volume.attributes()),
            fields -> new InlineVolume(fields.text("id"), fields.map("attributes")));

    public InlineVolume {
        attributes = Map.copyOf(attributes);
    }
}
