package io.csi4j.core.spi;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A call is made without the secrets it should have.
 *
 * @param rpc the call
 * @param volume the volume it is about; empty: none that is known here
 * @param at when
 */
public record SecretsAbsentEvent(Rpc rpc, PluginId pluginId, Optional<VolumeKey> volume, Instant at) {
    public SecretsAbsentEvent {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(at, "at");
    }
}
