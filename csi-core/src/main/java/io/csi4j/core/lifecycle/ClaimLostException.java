package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;

/** A claim was released, or its volume forgotten, before it could be granted. */
public final class ClaimLostException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient VolumeKey volume;
    private final transient AllocationId allocationId;

    /**
     * A claim that is no more.
     *
     * @param volume the volume
     * @param allocationId the claimant
     */
    public ClaimLostException(VolumeKey volume, AllocationId allocationId) {
        super("the claim of allocation " + allocationId + " on volume " + volume
                + " was released before it was granted; claim it again if the allocation still needs it");
        this.volume = volume;
        this.allocationId = allocationId;
    }

    /**
     * The volume.
     *
     * @return the key; not kept when the exception is serialized
     */
    public VolumeKey volume() {
        return volume;
    }

    /**
     * Whose claim it was.
     *
     * @return the allocation; not kept when the exception is serialized
     */
    public AllocationId allocationId() {
        return allocationId;
    }
}
