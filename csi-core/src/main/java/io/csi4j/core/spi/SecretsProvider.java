package io.csi4j.core.spi;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.volume.Volume;
import java.util.concurrent.CompletableFuture;

/**
 * Gives the secrets of a call, when it is made. They go into the request and nowhere else (R35). For the
 * repeat of a call, and for its opposite, it has to give secrets of the same meaning (R67).
 */
public interface SecretsProvider {
    /**
     * The secrets of a call about a volume.
     *
     * @param rpc the call; one that has a field for secrets (R36)
     * @return the secrets, possibly none; exceptionally if they cannot be had now: then nothing is sent
     */
    CompletableFuture<Secrets> forVolume(Volume volume, Rpc rpc);

    /**
     * The secrets of a call about no volume that is known here, for example of ListSnapshots.
     *
     * @param rpc the call; one that has a field for secrets (R36)
     * @return the secrets, possibly none; exceptionally if they cannot be had now: then nothing is sent
     */
    default CompletableFuture<Secrets> forPlugin(PluginId pluginId, Rpc rpc) {
        return CompletableFuture.completedFuture(Secrets.empty());
    }

    /**
     * The secrets that were declared with the volume (S4), and none for calls about no volume.
     *
     * @return a provider that asks nobody
     */
    static SecretsProvider ofVolumes() {
        return (volume, rpc) -> CompletableFuture.completedFuture(volume.spec().secrets());
    }
}
