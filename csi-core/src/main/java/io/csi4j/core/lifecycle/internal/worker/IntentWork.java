package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;
import java.util.concurrent.CompletableFuture;

/** Goes on with what is to be done for a volume by an intent on record. All of it may be repeated. */
public interface IntentWork {
    /** Tries to create a volume that is CREATING; fails if it is not done. */
    CompletableFuture<?> create(VolumeKey key);

    /** Tries to delete a volume that is DELETING; fails if it is not done. */
    CompletableFuture<?> delete(VolumeKey key);

    /** Tries the controller's step of an expansion; completes once what came of it is on record. */
    CompletableFuture<?> expand(VolumeKey key);

    /** Tries the node's step of an expansion for a claim; completes once what came of it is on record. */
    CompletableFuture<?> expandOnNode(VolumeKey key, Claim claim);

    /** Tries to change mutable parameters; completes once what came of it is on record. */
    CompletableFuture<?> modify(VolumeKey key);
}
