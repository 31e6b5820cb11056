package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.worker.IntentWork;
import io.csi4j.core.volume.Claim;
import java.util.concurrent.CompletableFuture;

/** Performs the stored intents of a volume, such as its creation or deletion, when the volume's worker starts them. */
public record VolumeOperations(
        VolumeCreation creation,
        VolumeDeletion deletion,
        VolumeExpander expander,
        NodeExpander nodes,
        VolumeModification modification)
        implements IntentWork {
    @Override
    public CompletableFuture<Void> create(VolumeKey key) {
        return creation.perform(key);
    }

    @Override
    public CompletableFuture<Void> delete(VolumeKey key) {
        return deletion.perform(key);
    }

    @Override
    public CompletableFuture<Void> expand(VolumeKey key) {
        return expander.perform(key);
    }

    @Override
    public CompletableFuture<Void> expandOnNode(VolumeKey key, Claim claim) {
        return nodes.perform(key, claim);
    }

    @Override
    public CompletableFuture<Void> modify(VolumeKey key) {
        return modification.perform(key);
    }
}
