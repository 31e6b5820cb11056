package io.csi4j.node;

import io.csi4j.core.id.VolumeKey;
import java.util.List;

/**
 * What became of the volumes of a workload that has ended. Each is in one of the lists, in order.
 *
 * @param unmounted no longer mounted for it
 * @param left not yet unmounted when the time was over, or failed; work on them goes on
 */
public record Teardown(List<VolumeKey> unmounted, List<VolumeKey> left) {
    /** Copies the lists. */
    public Teardown {
        unmounted = List.copyOf(unmounted);
        left = List.copyOf(left);
    }
}
