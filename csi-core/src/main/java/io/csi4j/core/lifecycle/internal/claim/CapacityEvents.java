package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.volume.StorageCapacity;
import io.csi4j.core.volume.Volume;
import org.jspecify.annotations.Nullable;

/** The known capacity of the storage, and the calls that change it. */
public interface CapacityEvents extends StorageCapacity {
    /**
     * A call about a volume has ended.
     *
     * @param failure the failure of the call; null if it succeeded
     */
    void callEnded(Rpc rpc, Volume volume, @Nullable Throwable failure);
}
