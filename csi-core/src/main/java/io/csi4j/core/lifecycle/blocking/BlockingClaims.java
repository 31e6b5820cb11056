package io.csi4j.core.lifecycle.blocking;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.AllocationClaims;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeClaims;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.spi.Access;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The operations on claims, for callers that block. Each method waits for the operation of the same name in
 * {@link VolumeClaims}; see {@link BlockingLifecycle}.
 */
public final class BlockingClaims {
    private final VolumeClaims view;

    BlockingClaims(VolumeClaims view) {
        this.view = view;
    }

    /** Waits for {@link VolumeClaims#missingAuthority(Namespace, List, Set)}. */
    public List<Access> missingAuthority(Namespace namespace, List<VolumeRequest> requests, Set<PluginId> deploys) {
        return Waiting.on(view.missingAuthority(namespace, requests, deploys));
    }

    /** Waits for {@link VolumeClaims#claim(AllocationId, List)}. */
    public ClaimGrant claim(AllocationId allocationId, List<ClaimRequest> requests) {
        return Waiting.on(view.claim(allocationId, requests));
    }

    /** Waits for {@link VolumeClaims#release(VolumeKey, AllocationId)}. */
    public void release(VolumeKey key, AllocationId allocationId) {
        Waiting.on(view.release(key, allocationId));
    }

    /** Waits for {@link VolumeClaims#release(VolumeKey, AllocationId, long)}. */
    public void release(VolumeKey key, AllocationId allocationId, long takenIndex) {
        Waiting.on(view.release(key, allocationId, takenIndex));
    }

    /** Waits for {@link VolumeClaims#nodeReleased(VolumeKey, NodeId, AllocationId)}. */
    public void nodeReleased(VolumeKey key, NodeId nodeId, AllocationId allocationId) {
        Waiting.on(view.nodeReleased(key, nodeId, allocationId));
    }

    /** Waits for {@link VolumeClaims#status(VolumeKey)}. */
    public Optional<VolumeStatus> status(VolumeKey key) {
        return Waiting.on(view.status(key));
    }

    /** Waits for {@link VolumeClaims#waiting()}. */
    public List<WaitingClaim> waiting() {
        return Waiting.on(view.waiting());
    }

    /** Waits for {@link VolumeClaims#status(AllocationId)}. */
    public AllocationClaims status(AllocationId allocationId) {
        return Waiting.on(view.status(allocationId));
    }
}
