package io.csi4j.core.lifecycle.health;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * An unfinished release: a claim that is being released, or an attachment that has no claim and is being detached.
 *
 * @param volume the volume
 * @param nodeId the node
 * @param allocationId the allocation of the claim; empty for an attachment without a claim
 * @param attempts the number of failed attempts at the present step
 * @param since the time when this server first found the release unfinished; after a restart, the time when the server
 *     found it again
 */
public record Release(
        VolumeKey volume, NodeId nodeId, Optional<AllocationId> allocationId, int attempts, Instant since) {
    public Release {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(since, "since");
    }
}
