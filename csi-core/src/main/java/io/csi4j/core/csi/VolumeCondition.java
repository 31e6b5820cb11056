package io.csi4j.core.csi;

import java.util.Objects;

/**
 * The health of a volume as CSI told it up to 1.12.
 *
 * @param abnormal whether something is wrong
 * @param message a sentence for people
 */
public record VolumeCondition(boolean abnormal, String message) {
    /** Checks that all parts are there and copies collections. */
    public VolumeCondition {
        Objects.requireNonNull(message, "message");
    }

    @Override
    public String toString() {
        return "VolumeCondition[abnormal=" + abnormal + ", message=" + Text.shown(message) + "]";
    }
}
