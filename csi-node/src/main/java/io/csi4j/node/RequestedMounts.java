package io.csi4j.node;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.RejectedException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The mounts that a workload requests.
 *
 * @param requests one for each mount
 */
record RequestedMounts(AllocationId allocationId, List<ClaimRequest> requests) {
    RequestedMounts {
        requests = List.copyOf(requests);
    }

    /**
     * Returns the claims to take: one for each volume.
     *
     * @throws RejectedException if one claim cannot serve all mounts of a volume
     */
    List<ClaimRequest> claims() {
        List<ClaimRequest> claims = ClaimRequest.merged(requests);
        ClaimRequest.conflicts(claims).forEach((volume, refusal) -> {
            throw new RejectedException(new Rejection.NotAdmitted(volume, allocationId, refusal));
        });
        return claims;
    }

    /**
     * Returns the mounts by their requests, in the order of the requests.
     *
     * @param granted the mounts of the claims
     * @throws IllegalStateException if a claim has no mount
     */
    Map<ClaimRequest, NodeMount> mounts(List<NodeMount> granted) {
        Map<ClaimRequest, NodeMount> found = new HashMap<>();
        granted.forEach(mount -> found.putAll(mount.forRequests(requests)));
        Map<ClaimRequest, NodeMount> mounts = new LinkedHashMap<>();
        for (ClaimRequest request : requests) {
            NodeMount mount = found.get(request);
            if (mount == null) {
                throw new IllegalStateException(
                        "MountClaims returned no mount of volume " + request.volume() + "; return one for each claim");
            }
            mounts.put(request, mount);
        }
        return mounts;
    }

    /** Returns the volumes, in the order in which they appear first. */
    List<VolumeKey> volumes() {
        return requests.stream().map(ClaimRequest::volume).distinct().toList();
    }
}
