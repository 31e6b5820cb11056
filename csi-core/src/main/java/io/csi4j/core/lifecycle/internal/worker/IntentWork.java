package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;
import java.util.concurrent.CompletableFuture;

/** Performs the stored intents of a volume. Each method may be called again for the same intent. */
public interface IntentWork {
    /** Tries to create a volume that is in the phase CREATING. The future fails if the volume has not been created. */
    CompletableFuture<Void> create(VolumeKey key);

    /** Tries to delete a volume that is in the phase DELETING. The future fails if the volume has not been deleted. */
    CompletableFuture<Void> delete(VolumeKey key);

    /** Tries to expand a volume by its controller. The future completes when the result is stored. */
    CompletableFuture<Void> expand(VolumeKey key);

    /** Tries to expand a volume on the node of a claim. The future completes when the result is stored. */
    CompletableFuture<Void> expandOnNode(VolumeKey key, Claim claim);

    /** Tries to modify mutable parameters of a volume. The future completes when the result is stored. */
    CompletableFuture<Void> modify(VolumeKey key);
}
