package io.csi4j.core.spi;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import java.util.Objects;
import java.util.Optional;

/**
 * For which call secrets are wanted.
 *
 * @param volume the volume it is about; empty: none that is known here
 * @param rpc the call; one that has a field for secrets (R36)
 */
public record SecretsQuery(PluginId pluginId, Optional<Volume> volume, Rpc rpc) {
    public SecretsQuery {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(rpc, "rpc");
    }

    Optional<VolumeKey> key() {
        return volume.map(Volume::key);
    }

    /** What the call is about, for people; nothing of the volume but its id. */
    String subject() {
        return key().map(key -> "volume " + key).orElseGet(() -> "plugin " + pluginId);
    }

    @Override
    public String toString() {
        return "SecretsQuery[" + subject() + ", " + rpc.csiName() + "]";
    }
}
