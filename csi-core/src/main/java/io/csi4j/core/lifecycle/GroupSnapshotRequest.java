package io.csi4j.core.lifecycle;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Text;
import java.util.List;
import java.util.Map;

/**
 * A request for snapshots of several volumes of one plugin at the same time (R97).
 *
 * @param name the name of the group snapshot; another request with the same name returns the same group snapshot
 * @param volumes the volumes; at least one, each once
 * @param parameters parameters that only the plugin interprets
 */
public record GroupSnapshotRequest(String name, List<VolumeKey> volumes, Map<String, String> parameters) {
    /**
     * Copies the list of volumes and the parameters, so that later changes of the caller's collections have no effect.
     *
     * @throws IllegalArgumentException if there is no volume, or a volume appears twice
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
