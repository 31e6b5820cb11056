package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import java.util.concurrent.CompletableFuture;

/**
 * Provides the secrets for mounts when a call needs them. It is called for mounts that are made again after a restart, a reboot or a
 * repair, because the ledger has no secrets. It is also called for mounts that were requested without secrets, and if a plugin has refused
 * the earlier secrets with UNAUTHENTICATED (R33).
 */
@FunctionalInterface
public interface MountSecretsProvider {
    /**
     * Returns the secrets for one mount.
     *
     * @param id the volume
     * @param allocationId the allocation that uses the volume
     * @return the secrets, possibly none. If the future fails, or takes longer than {@link NodeVolumeOptions#longestRetry()}, the
     *     mount is retried later
     */
    CompletableFuture<MountSecrets> secrets(NodeVolumeId id, AllocationId allocationId);

    /** Returns a provider that has no secrets, for plugins that need none on the node. */
    static MountSecretsProvider none() {
        return (id, allocationId) -> CompletableFuture.completedFuture(MountSecrets.none());
    }
}
