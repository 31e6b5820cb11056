package io.csi4j.core.lifecycle;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A call of this engine that has failed and has not succeeded since. {@link OperatorActions#calls} has it only while it is
 * tried again.
 *
 * @param pluginId the plugin
 * @param volume the volume
 * @param failure the last failure
 * @param nextAttempt the time of the next attempt for the volume, or for the volume on the node of the call; empty if none is
 *     planned, for example because the plugin refused the call, or because an attempt is under way
 */
public record FailedCall(PluginId pluginId, VolumeKey volume, CallFailure failure, Optional<Instant> nextAttempt) {
    public FailedCall {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(failure, "failure");
        Objects.requireNonNull(nextAttempt, "nextAttempt");
    }
}
