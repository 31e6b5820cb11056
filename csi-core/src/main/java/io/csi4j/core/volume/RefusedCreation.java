package io.csi4j.core.volume;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Text;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A creation that certainly made nothing, because the plugin refused it. Its volume is not in the state any more; the row
 * is for callers that wait at a server that does not lead. The state keeps the {@linkplain #KEPT latest} of these rows.
 *
 * @param createIndex the index of the command that stored the intent to create the volume
 * @param volume the key of the volume that was to be created
 * @param reason why it was refused
 * @param at the time when the refusal was stored, by the clock of the server that led
 */
public record RefusedCreation(long createIndex, VolumeKey volume, Reason reason, Instant at) {
    /** The number of these rows that the state keeps: those with the highest {@link #createIndex()}. */
    public static final int KEPT = 100;

    public RefusedCreation {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(at, "at");
    }

    /**
     * The reason of a refusal.
     *
     * @param code the status code of the plugin; empty if the plugin did not refuse, but the state
     * @param error the failure for people, without any text of the plugin
     */
    public record Reason(Optional<StatusCode> code, String error) {
        public Reason {
            Objects.requireNonNull(code, "code");
            Text.checked("RefusedCreation: error", error);
        }
    }
}
