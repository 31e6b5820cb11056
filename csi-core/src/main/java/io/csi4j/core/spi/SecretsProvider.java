package io.csi4j.core.spi;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.volume.Volume;
import java.util.concurrent.CompletableFuture;

/**
 * Provides the secrets of a call at the time of the call. The secrets go into the request and nowhere else (R35). A
 * retry of the call, and a call that undoes it, must get equivalent secrets (R67).
 */
public interface SecretsProvider {
    /**
     * Returns the secrets for a call about a volume.
     *
     * @param rpc an RPC with a field for secrets (R36)
     * @return the secrets, possibly none; if the future fails, the call is not sent
     */
    CompletableFuture<Secrets> forVolume(Volume volume, Rpc rpc);

    /**
     * Returns the secrets for a call that concerns no registered volume, for example ListSnapshots.
     *
     * @param rpc an RPC with a field for secrets (R36)
     * @return the secrets, possibly none; if the future fails, the call is not sent
     */
    default CompletableFuture<Secrets> forPlugin(PluginId pluginId, Rpc rpc) {
        return CompletableFuture.completedFuture(Secrets.empty());
    }

    /** Returns a provider of the secrets in each volume's specification; calls without a volume get no secrets. */
    static SecretsProvider ofVolumes() {
        return (volume, rpc) -> CompletableFuture.completedFuture(volume.spec().secrets());
    }
}
