package io.csi4j.core.command;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.List;
import java.util.Objects;

/**
 * What an allocation wants of one volume.
 *
 * @param volume the volume
 * @param mode what it does with it
 * @param capability how it uses it
 * @param mountOptions on top of the volume's; possibly empty
 */
public record ClaimRequest(
        VolumeKey volume, ClaimMode mode, RequestedCapability capability, MountOptions mountOptions) {
    /** Checks that all parts are there. */
    public ClaimRequest {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(mountOptions, "mountOptions");
    }

    /**
     * Checks what an allocation claims in one go.
     *
     * @param allocationId the allocation
     * @param requests at least one, no volume twice
     * @return a copy
     * @throws IllegalArgumentException if no volume is named, or one twice
     */
    public static List<ClaimRequest> checked(AllocationId allocationId, List<ClaimRequest> requests) {
        Objects.requireNonNull(allocationId, "allocationId");
        List<ClaimRequest> copy = List.copyOf(Objects.requireNonNull(requests, "requests"));
        String problem = copy.isEmpty()
                ? "there is none"
                : copy.stream().map(ClaimRequest::volume).distinct().count() < copy.size()
                        ? "a volume is named twice"
                        : "";
        if (!problem.isEmpty()) {
            throw new IllegalArgumentException("requests: " + problem
                    + "; name at least one volume, and each volume once, for allocation " + allocationId);
        }
        return copy;
    }

    /**
     * A request with the volume's own mount options.
     *
     * @param volume the volume
     * @param mode what the allocation does with it
     * @param capability how it uses it
     * @return the request
     */
    public static ClaimRequest of(VolumeKey volume, ClaimMode mode, RequestedCapability capability) {
        return new ClaimRequest(volume, mode, capability, MountOptions.none());
    }
}
