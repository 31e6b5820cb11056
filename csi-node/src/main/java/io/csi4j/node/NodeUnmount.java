package io.csi4j.node;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.spi.NodeDetach;
import java.util.Objects;
import java.util.Optional;

/**
 * A request to end an allocation's use of a volume.
 *
 * @param id the volume; its plugin and external id are used if the ledger was lost
 * @param allocationId the allocation
 * @param externalNodeId the external id of the machine that the request is for. Another machine refuses the request,
 *     because it cannot say what is mounted on that one. Empty if the request is for this machine, whatever its id
 */
public record NodeUnmount(NodeVolumeId id, AllocationId allocationId, Optional<ExternalNodeId> externalNodeId) {
    public NodeUnmount {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(externalNodeId, "externalNodeId");
    }

    /**
     * Creates a request of this machine's own host.
     *
     * @param id the volume; its plugin and external id are used if the ledger was lost
     */
    public NodeUnmount(NodeVolumeId id, AllocationId allocationId) {
        this(id, allocationId, Optional.empty());
    }

    /** Returns the request for the unmount that the release of a claim needs. */
    public static NodeUnmount of(NodeDetach detach) {
        return new NodeUnmount(
                new NodeVolumeId(detach.volume(), detach.pluginId(), detach.externalVolumeId()),
                detach.allocationId(),
                detach.externalNodeId());
    }
}
