package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.spi.NodeDetach;
import java.util.Objects;

/**
 * A request to end an allocation's use of a volume.
 *
 * @param id the volume; its plugin and external id are used if the ledger was lost
 * @param allocationId the allocation
 */
public record NodeUnmount(NodeVolumeId id, AllocationId allocationId) {
    public NodeUnmount {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(allocationId, "allocationId");
    }

    /** Returns the request for the unmount that the release of a claim needs. */
    public static NodeUnmount of(NodeDetach detach) {
        return new NodeUnmount(
                new NodeVolumeId(detach.volume(), detach.pluginId(), detach.externalVolumeId()), detach.allocationId());
    }
}
