package io.csi4j.core.command;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The request of an allocation to use one volume, for one mount or for all its mounts of the volume.
 *
 * @param mode whether the allocation reads or writes
 * @param capability the access mode and the mount or block type
 * @param mountOptions the options that override those of the volume; possibly empty
 * @param template the claim makes the volume from this template if the state does not have it; an existing volume has to
 *     be made from the same template. Empty for a volume that has to exist
 */
public record ClaimRequest(
        VolumeKey volume,
        ClaimMode mode,
        RequestedCapability capability,
        MountOptions mountOptions,
        Optional<VolumeTemplate> template) {
    public ClaimRequest {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(mountOptions, "mountOptions");
        Objects.requireNonNull(template, "template");
    }

    /**
     * Creates a request for a volume that has to exist.
     *
     * @param mode whether the allocation reads or writes
     * @param capability the access mode and the mount or block type
     * @param mountOptions the options that override those of the volume; possibly empty
     */
    public ClaimRequest(VolumeKey volume, ClaimMode mode, RequestedCapability capability, MountOptions mountOptions) {
        this(volume, mode, capability, mountOptions, Optional.empty());
    }

    /** Returns this request for a volume that the claim makes from a template if the state does not have it. */
    public ClaimRequest madeFrom(VolumeTemplate made) {
        return new ClaimRequest(volume, mode, capability, mountOptions, Optional.of(made));
    }

    /**
     * Checks the requests of an allocation.
     *
     * @param requests at least one
     * @return a copy
     * @throws IllegalArgumentException if the list is empty
     */
    public static List<ClaimRequest> checked(AllocationId allocationId, List<ClaimRequest> requests) {
        Objects.requireNonNull(allocationId, "allocationId");
        if (Objects.requireNonNull(requests, "requests").isEmpty()) {
            throw new IllegalArgumentException(
                    "requests: there is none; name at least one volume for allocation " + allocationId);
        }
        return List.copyOf(requests);
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
     * Returns the claims that the mounts of one allocation need: one for each volume. An allocation has one claim on a
     * volume, and may have several mounts of it. The claim writes if one of the mounts writes. Its mount options are
     * those with which the volume is staged on the node. If all mounts have the same flags, these are its flags;
     * otherwise it has none, so the volume is staged with its own flags, and each target is published with the flags of
     * its mount.
     *
     * <p>Mounts that one claim cannot serve stay as they are, so that the result has several requests for their volume.
     * A claim with such requests is rejected with {@link NeverReason#REQUESTED_DIFFERENTLY}. The mounts of a volume need
     * the same capability and security label, and not two file systems or two groups; mounts with different modes or flags also need an
     * access mode that allows several targets on a node (R89).
     *
     * @param requests the requests in any order, one for each mount
     * @return the claims, in the order in which each volume appears first
     */
    public static List<ClaimRequest> merged(List<ClaimRequest> requests) {
        return ClaimMerge.of(requests);
    }

    /**
     * Returns the refusals of an allocation's requests that stay apart although they are for one volume.
     *
     * @param merged the requests, as returned by {@link #merged}
     * @return the refusal for each such volume, with {@link NeverReason#REQUESTED_DIFFERENTLY}, the rule and the remedy;
     *     empty if there is none
     */
    public static Map<VolumeKey, AdmissionDecision.Never> conflicts(List<ClaimRequest> merged) {
        return ClaimMerge.conflicts(merged);
    }
}
