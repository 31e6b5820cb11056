package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.Text;
import io.csi4j.core.id.VolumeKey;
import java.util.List;
import java.util.Map;

/**
 * A snapshot of several volumes of one plugin, cut at one point (R97).
 *
 * @param name the key of idempotency: the same name again is the same group snapshot, so keep it
 * @param volumes of what; at least one
 * @param parameters opaque, for the provider
 */
public record GroupSnapshotRequest(String name, List<VolumeKey> volumes, Map<String, String> parameters) {
    /**
     * Copies the collections.
     *
     * @throws IllegalArgumentException if no volume is named, or one twice
     */
    public GroupSnapshotRequest {
        Text.checked("GroupSnapshotRequest: name", name);
        volumes = List.copyOf(volumes);
        parameters = Text.checked("GroupSnapshotRequest: parameters", parameters);
        if (volumes.isEmpty() || volumes.stream().distinct().count() < volumes.size()) {
            throw new IllegalArgumentException(
                    "GroupSnapshotRequest: name at least one volume, and each once, for group snapshot " + name);
        }
    }
}
