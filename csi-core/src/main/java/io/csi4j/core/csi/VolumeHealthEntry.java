package io.csi4j.core.csi;

import java.util.Objects;

/**
 * One problem of a volume (R104).
 *
 * @param status the kind of the problem; UNKNOWN for a kind that this version of csi4j does not know
 * @param statusNumber the number of the kind in the plugin's response
 * @param reason a CamelCase word for programs
 * @param message a sentence for people
 */
public record VolumeHealthEntry(VolumeHealthStatus status, int statusNumber, String reason, String message) {
    public VolumeHealthEntry {
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(message, "message");
    }
}
