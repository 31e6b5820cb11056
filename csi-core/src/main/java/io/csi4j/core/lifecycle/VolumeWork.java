package io.csi4j.core.lifecycle;

import io.csi4j.core.id.VolumeKey;
import java.util.concurrent.CompletableFuture;

/** Goes on with a creation or a deletion whose intent is on record. Both may be repeated. */
interface VolumeWork {
    /** Tries to create a volume that is CREATING; fails if it is not done. */
    CompletableFuture<?> create(VolumeKey key);

    /** Tries to delete a volume that is DELETING; fails if it is not done. */
    CompletableFuture<?> delete(VolumeKey key);
}
