package io.csi4j.core.csi;

import java.util.Objects;
import java.util.Optional;

/**
 * One thing that is wrong with a storage backend, as a node sees it (R104).
 *
 * @param status the kind; UNKNOWN where this version does not know the number
 * @param statusNumber the number on the wire
 * @param reason a CamelCase word for programs
 * @param message a sentence for people
 * @param volumeCapability the kind of use that is affected; empty: all
 */
public record StorageBackendHealth(
        StorageHealthStatus status,
        int statusNumber,
        String reason,
        String message,
        Optional<VolumeCapability> volumeCapability) {
    /** Checks that all parts are there and copies collections. */
    public StorageBackendHealth {
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(volumeCapability, "volumeCapability");
    }
}
