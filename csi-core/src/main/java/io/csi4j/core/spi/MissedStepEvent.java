package io.csi4j.core.spi;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;

/**
 * Reports that a scan of all volumes found a volume with a step that no event and no timer had started, and started it.
 * The engine does not need its scans, so each of these events shows a fault of csi4j; the only effect is that the step
 * began late. Please report it.
 *
 * @param volume the volume with the step
 * @param pluginId the plugin of the volume
 * @param at the time when the step was found
 */
public record MissedStepEvent(VolumeKey volume, PluginId pluginId, Instant at) {
    public MissedStepEvent {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(at, "at");
    }
}
