package io.csi4j.core.csi;

import java.util.Objects;

/**
 * One thing that is wrong with a volume (R104).
 *
 * @param status the kind; UNKNOWN where this version does not know the number
 * @param statusNumber the number on the wire
 * @param reason a CamelCase word for programs
 * @param message a sentence for people
 */
public record VolumeHealthEntry(VolumeHealthStatus status, int statusNumber, String reason, String message) {
    /** Checks that all parts are there and copies collections. */
    public VolumeHealthEntry {
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(message, "message");
    }
}
