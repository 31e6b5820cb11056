package io.csi4j.core.command;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What an allocation wants of one volume.
 *
 * @param mode what it does with it
 * @param capability how it uses it
 * @param mountOptions on top of the volume's; possibly empty
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
     * Checks what an allocation claims in one go.
     *
     * @param requests at least one
     * @return a copy, with requests of one volume {@linkplain #merged merged}
     * @throws IllegalArgumentException if no volume is named
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
     * A request with the volume's own mount options.
     *
     * @param mode what the allocation does with it
     * @param capability how it uses it
     */
    public static ClaimRequest of(VolumeKey volume, ClaimMode mode, RequestedCapability capability) {
        return new ClaimRequest(volume, mode, capability, MountOptions.none());
    }

    /**
     * A request to read and write a volume, with the mount options of the volume.
     *
     * @param capability how it is used
     */
    public static ClaimRequest writing(VolumeKey volume, RequestedCapability capability) {
        return of(volume, ClaimMode.WRITE, capability);
    }

    /**
     * The requests of one allocation, with those of the same volume made one that writes if one of them does. The reader's
     * part is then the host's: the volume has one target path in the allocation, which a reader's container mounts
     * read-only. Requests of one volume that differ in more than the mode stay apart; {@link Admission#together} refuses
     * them.
     *
     * @param requests in any order
     * @return in the order in which each volume is named first
     */
    public static List<ClaimRequest> merged(List<ClaimRequest> requests) {
        List<ClaimRequest> merged = new ArrayList<>(requests.size());
        for (ClaimRequest request : requests) {
            int same = 0;
            while (same < merged.size() && !merged.get(same).differsInModeAtMost(request)) {
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

    private boolean differsInModeAtMost(ClaimRequest other) {
        return volume.equals(other.volume)
                && capability.equals(other.capability)
                && mountOptions.equals(other.mountOptions);
    }
}
