package io.csi4j.core.csi;

import java.util.Objects;
import java.util.Optional;

/**
 * One problem of a storage backend, as a node reports it (R104).
 *
 * @param status the kind of the problem; UNKNOWN for a kind that this version of csi4j does not know
 * @param statusNumber the number of the kind in the plugin's response
 * @param reason a CamelCase word for programs
 * @param message a sentence for people
 * @param volumeCapability the way of using volumes that has the problem; empty if every way has it
 */
public record StorageBackendHealth(
        StorageHealthStatus status,
        int statusNumber,
        String reason,
        String message,
        Optional<VolumeCapability> volumeCapability) {
    public StorageBackendHealth {
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(volumeCapability, "volumeCapability");
    }
}
