package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;

/** Ends a claim request whose claim was released, or whose volume was removed from the state, before the grant. */
public final class ClaimLostException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient VolumeKey volume;
    private final transient AllocationId allocationId;

    public ClaimLostException(VolumeKey volume, AllocationId allocationId) {
        super("the claim of allocation " + allocationId + " on volume " + volume
                + " was released before it was granted; claim it again if the allocation still needs it");
        this.volume = volume;
        this.allocationId = allocationId;
    }

    /** Returns the key of the volume, or null after deserialization. */
    public VolumeKey volume() {
        return volume;
    }

    /** Returns the allocation of the claim, or null after deserialization. */
    public AllocationId allocationId() {
        return allocationId;
    }
}
