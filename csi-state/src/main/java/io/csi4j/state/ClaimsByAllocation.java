package io.csi4j.state;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.state.internal.hash.HashTrie;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The volumes that one allocation claims, in the order of their keys. Uses a list instead of a tree, because an allocation claims few
 * volumes and a list needs less memory.
 */
record ClaimsByAllocation(AllocationId allocationId, List<VolumeKey> volumes) {
    static HashTrie<AllocationId, ClaimsByAllocation> add(
            HashTrie<AllocationId, ClaimsByAllocation> claims, long edit, AllocationId allocationId, VolumeKey key) {
        ClaimsByAllocation known = claims.get(allocationId);
        return claims.put(
                edit,
                known == null
                        ? new ClaimsByAllocation(allocationId, List.of(key))
                        : new ClaimsByAllocation(known.allocationId, with(known.volumes, key)));
    }

    static HashTrie<AllocationId, ClaimsByAllocation> remove(
            HashTrie<AllocationId, ClaimsByAllocation> claims, long edit, AllocationId allocationId, VolumeKey key) {
        ClaimsByAllocation known = claims.get(allocationId);
        int at = known == null ? -1 : Collections.binarySearch(known.volumes, key);
        if (known == null || at < 0) {
            return claims;
        }
        if (known.volumes.size() == 1) {
            return claims.remove(edit, allocationId);
        }
        List<VolumeKey> rest = new ArrayList<>(known.volumes);
        rest.remove(at);
        return claims.put(edit, new ClaimsByAllocation(known.allocationId, Collections.unmodifiableList(rest)));
    }

    static List<VolumeKey> of(HashTrie<AllocationId, ClaimsByAllocation> claims, AllocationId allocationId) {
        ClaimsByAllocation known = claims.get(allocationId);
        return known == null ? List.of() : known.volumes;
    }

    private static List<VolumeKey> with(List<VolumeKey> volumes, VolumeKey key) {
        int at = Collections.binarySearch(volumes, key);
        if (at >= 0) {
            return volumes;
        }
        List<VolumeKey> more = new ArrayList<>(volumes.size() + 1);
        more.addAll(volumes);
        more.add(~at, key);
        return Collections.unmodifiableList(more);
    }
}
