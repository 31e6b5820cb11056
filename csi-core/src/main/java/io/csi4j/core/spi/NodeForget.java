package io.csi4j.core.spi;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Text;
import java.util.Objects;

/**
 * An operator's order to a node: finish the unmount of a volume without its plugin, because the plugin cannot finish it
 * and nothing of the volume is mounted.
 *
 * @param volume the volume
 * @param allocationId the allocation that used the volume
 * @param operator the operator
 * @param reason the operator's reason
 */
public record NodeForget(VolumeKey volume, AllocationId allocationId, String operator, String reason) {
    public NodeForget {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(allocationId, "allocationId");
        Text.checked("NodeForget: operator", operator);
        Text.checked("NodeForget: reason", reason);
    }
}
