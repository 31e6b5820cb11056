package io.csi4j.micrometer;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.MissedStepEvent;
import io.csi4j.core.spi.SecretsAbsentEvent;
import java.time.Instant;
import java.util.Optional;

/** Events that a healthy engine does not publish. */
final class EventSamples {
    private EventSamples() {}

    static void publishTo(EventListener listener) {
        listener.driftFound(new DriftEvent(
                DriftEvent.Kind.ATTACHED_BUT_NOT_WANTED,
                MeteredEngine.DISK,
                ExternalVolumeId.of("e"),
                Optional.empty(),
                ExternalNodeId.of("n"),
                Instant.EPOCH));
        listener.secretsAbsent(
                new SecretsAbsentEvent(Rpc.CREATE_VOLUME, MeteredEngine.DISK, Optional.empty(), Instant.EPOCH));
        listener.missedStepFound(new MissedStepEvent(VolumeKey.of("default", "v"), MeteredEngine.DISK, Instant.EPOCH));
    }
}
