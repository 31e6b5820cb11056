package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.spi.NodeDetach;
import java.util.Objects;

/**
 * An allocation's use of a volume that has to end.
 *
 * @param id the volume; plugin and external id are needed where the ledger has been lost
 * @param allocationId who used it
 */
public record NodeUnmount(NodeVolumeId id, AllocationId allocationId) {
    /** Checks that both parts are there. */
    public NodeUnmount {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(allocationId, "allocationId");
    }

    /**
     * The node's part of the release of a claim.
     *
     * @param detach as the engine asks for it
     * @return the request
     */
    public static NodeUnmount of(NodeDetach detach) {
        return new NodeUnmount(
                new NodeVolumeId(detach.volume(), detach.pluginId(), detach.externalVolumeId()), detach.allocationId());
    }
}
