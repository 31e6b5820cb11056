package io.csi4j.core.lifecycle;

import io.csi4j.core.id.VolumeKey;
import java.util.concurrent.CompletableFuture;

/** The steps of creation and deletion, for the planner. How often it tried is its own affair. */
record IntentWork(VolumeCreation creation, VolumeDeletion deletion) implements VolumeWork {
    @Override
    public CompletableFuture<?> create(VolumeKey key) {
        return creation.resume(key);
    }

    @Override
    public CompletableFuture<?> delete(VolumeKey key) {
        return deletion.step(key, 1);
    }
}
