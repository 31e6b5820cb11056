package io.csi4j.node;

import io.csi4j.core.id.VolumeKey;
import java.util.List;

/**
 * The result of unmounting the volumes of an ended workload. Each volume is in one of the lists, in order.
 *
 * @param unmounted the volumes that are no longer mounted for the workload
 * @param left the volumes whose unmount failed or was not finished in time; the work on them continues
 */
public record Teardown(List<VolumeKey> unmounted, List<VolumeKey> left) {
    /** Copies the two lists. */
    public Teardown {
        unmounted = List.copyOf(unmounted);
        left = List.copyOf(left);
    }
}
