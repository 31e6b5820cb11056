package io.csi4j.core.rpc;

import io.csi4j.core.csi.StorageBackendHealth;
import java.util.List;
import java.util.Objects;

/**
 * The response of NodeGetStorageHealth: the health of the storage backends as the node sees them (R104).
 *
 * @param backendHealth the problems; empty if the backends are healthy
 */
public record NodeGetStorageHealthResponse(List<StorageBackendHealth> backendHealth) {
    public NodeGetStorageHealthResponse {
        backendHealth = List.copyOf(Objects.requireNonNull(backendHealth, "backendHealth"));
    }
}
