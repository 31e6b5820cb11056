package io.csi4j.core.csi;

import java.util.Objects;
import java.util.Optional;

/**
 * One problem of a storage backend, as a node reports it (R104).
 *
 * @param status the kind of the problem; UNKNOWN for a number that this version of csi4j does not know
 * @param statusNumber the number on the wire
 * @param reason a CamelCase word for programs
 * @param message a sentence for people
 * @param volumeCapability the affected way of using volumes; empty if all ways are affected
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
