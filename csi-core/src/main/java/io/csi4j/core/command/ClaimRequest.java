package io.csi4j.core.command;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Admission;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The request of an allocation to use one volume.
 *
 * @param mode whether the allocation reads or writes
 * @param capability the access mode and the mount or block type
 * @param mountOptions the options that override those of the volume; possibly empty
 */
public record ClaimRequest(
        VolumeKey volume, ClaimMode mode, RequestedCapability capability, MountOptions mountOptions) {
    public ClaimRequest {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(mountOptions, "mountOptions");
    }

    /**
     * Checks and merges the requests that an allocation makes in one command.
     *
     * @param requests at least one
     * @return a copy, with requests for the same volume {@linkplain #merged merged}
     * @throws IllegalArgumentException if the list is empty
     */
    public static List<ClaimRequest> checked(AllocationId allocationId, List<ClaimRequest> requests) {
        Objects.requireNonNull(allocationId, "allocationId");
        if (Objects.requireNonNull(requests, "requests").isEmpty()) {
            throw new IllegalArgumentException(
                    "requests: there is none; name at least one volume for allocation " + allocationId);
        }
        return merged(requests);
    }

    /**
     * Creates a request that uses the mount options of the volume.
     *
     * @param mode whether the allocation reads or writes
     * @param capability the access mode and the mount or block type
     */
    public static ClaimRequest of(VolumeKey volume, ClaimMode mode, RequestedCapability capability) {
        return new ClaimRequest(volume, mode, capability, MountOptions.none());
    }

    /**
     * Creates a request to read and write a volume, with the mount options that the volume declares.
     *
     * @param capability the access mode and the mount or block type
     */
    public static ClaimRequest writing(VolumeKey volume, RequestedCapability capability) {
        return of(volume, ClaimMode.WRITE, capability);
    }

    /**
     * Merges the requests of one allocation for the same volume into one request. The merged request writes if one of
     * the requests writes, because an allocation has only one target path for the volume. For a container that only
     * reads, the host has to mount that path read-only. Requests that differ in more than the mode are not merged;
     * {@link Admission#conflictingRequests} refuses them.
     *
     * @param requests the requests in any order
     * @return the merged requests, in the order in which each volume appears first
     */
    public static List<ClaimRequest> merged(List<ClaimRequest> requests) {
        List<ClaimRequest> merged = new ArrayList<>(requests.size());
        for (ClaimRequest request : requests) {
            int same = 0;
            while (same < merged.size() && !merged.get(same).sameExceptMode(request)) {
                same++;
            }
            if (same == merged.size()) {
                merged.add(request);
            } else if (request.mode() == ClaimMode.WRITE) {
                merged.set(same, request);
            }
        }
        return List.copyOf(merged);
    }

    private boolean sameExceptMode(ClaimRequest other) {
        return volume.equals(other.volume)
                && capability.equals(other.capability)
                && mountOptions.equals(other.mountOptions);
    }
}
