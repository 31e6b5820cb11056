package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import java.util.concurrent.CompletableFuture;

/**
 * Gives secrets, at the time of a call, where none were given with the mount: for mounts that are made again from the
 * ledger, after a restart, a reboot or a repair, since secrets are not in the ledger; for mounts that were asked for
 * without any; and in place of those that a plugin has refused with UNAUTHENTICATED (R33).
 */
@FunctionalInterface
public interface MountSecretsProvider {
    /**
     * The secrets for one mount.
     *
     * @param id the volume
     * @param allocationId who uses it
     * @return the secrets, possibly none; exceptionally if they cannot be had now: it is then tried again later, as it
     *     is if they are not there within {@link NodeVolumeOptions#longestRetry()}
     */
    CompletableFuture<MountSecrets> secrets(NodeVolumeId id, AllocationId allocationId);

    /**
     * For plugins that need no secrets on the node.
     *
     * @return a provider of none
     */
    static MountSecretsProvider none() {
        return (id, allocationId) -> CompletableFuture.completedFuture(MountSecrets.none());
    }
}
