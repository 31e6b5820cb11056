package io.csi4j.core.rpc;

import io.csi4j.core.csi.StorageBackendHealth;
import java.util.List;
import java.util.Objects;

/**
 * The health of the storage backends as this node sees them (CSI {@code NodeGetStorageHealth}, R104).
 *
 * @param backendHealth what is wrong; empty for nothing
 */
public record NodeGetStorageHealthResponse(List<StorageBackendHealth> backendHealth) {
    public NodeGetStorageHealthResponse {
        backendHealth = List.copyOf(Objects.requireNonNull(backendHealth, "backendHealth"));
    }
}
