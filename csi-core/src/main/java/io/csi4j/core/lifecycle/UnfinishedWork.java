package io.csi4j.core.lifecycle;

import io.csi4j.core.id.VolumeKey;
import java.util.concurrent.CompletableFuture;

/** Goes on with creations and deletions that are on record, whoever began them. */
record UnfinishedWork(VolumeCreation creation, VolumeDeletion deletion) implements VolumeWork {
    @Override
    public CompletableFuture<?> create(VolumeKey key) {
        return creation.step(key, 1);
    }

    @Override
    public CompletableFuture<?> delete(VolumeKey key) {
        return deletion.step(key, 1);
    }
}
