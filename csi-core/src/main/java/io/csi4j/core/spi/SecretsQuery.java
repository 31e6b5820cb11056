package io.csi4j.core.spi;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.Volume;
import java.util.Objects;
import java.util.Optional;

/**
 * A call that needs secrets.
 *
 * @param volume the volume of the call; empty if the call concerns no registered volume
 * @param rpc an RPC with a field for secrets (R36)
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

    /**
     * Returns the class from which the volume of the call was made; empty if the call concerns no registered volume, or
     * one without a class. The name stays the same if the class was changed or removed since.
     */
    public Optional<ClassOrigin> classOrigin() {
        return volume.flatMap(Volume::classOrigin);
    }

    /** Returns the volume or the plugin of the call as text for messages. */
    public String subject() {
        return key().map(key -> "volume " + key).orElseGet(() -> "plugin " + pluginId);
    }

    @Override
    public String toString() {
        return "SecretsQuery[" + subject() + ", " + rpc.csiName() + "]";
    }
}
