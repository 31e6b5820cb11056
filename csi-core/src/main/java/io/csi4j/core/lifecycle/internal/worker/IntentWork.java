package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;
import java.util.concurrent.CompletableFuture;

/** Performs the persisted intents of a volume. Every method may be repeated. */
public interface IntentWork {
    /** Tries to create a volume that is CREATING; fails if the creation is not finished. */
    CompletableFuture<?> create(VolumeKey key);

    /** Tries to delete a volume that is DELETING; fails if the deletion is not finished. */
    CompletableFuture<?> delete(VolumeKey key);

    /** Tries the controller's step of an expansion; completes when the result is persisted. */
    CompletableFuture<?> expand(VolumeKey key);

    /** Tries the node's step of an expansion for a claim; completes when the result is persisted. */
    CompletableFuture<?> expandOnNode(VolumeKey key, Claim claim);

    /** Tries to modify mutable parameters; completes when the result is persisted. */
    CompletableFuture<?> modify(VolumeKey key);
}
