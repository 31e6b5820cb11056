package io.csi4j.core.spi;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Reports that a call is sent without the secrets that it should have.
 *
 * @param volume the volume of the call; empty if the call concerns no registered volume
 * @param at the time when the call was sent without secrets
 */
public record SecretsAbsentEvent(Rpc rpc, PluginId pluginId, Optional<VolumeKey> volume, Instant at) {
    public SecretsAbsentEvent {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(at, "at");
    }
}
