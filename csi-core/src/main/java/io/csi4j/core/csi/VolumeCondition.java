package io.csi4j.core.csi;

import io.csi4j.core.internal.text.Text;
import java.util.Objects;

/**
 * The health of a volume, in versions of CSI up to 1.12.
 *
 * @param abnormal whether the volume has a problem
 * @param message a sentence for people
 */
public record VolumeCondition(boolean abnormal, String message) {
    public VolumeCondition {
        Objects.requireNonNull(message, "message");
    }

    @Override
    public String toString() {
        return "VolumeCondition[abnormal=" + abnormal + ", message=" + Text.printable(message) + "]";
    }
}
