package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The response of ValidateVolumeCapabilities: whether the volume supports the requested capabilities (R69).
 *
 * <p>The caller has to compare the confirmed values with its request, because older plugins ignore fields that they do
 * not know.
 *
 * @param confirmed the confirmed values; empty if the volume does not support all requested capabilities
 * @param message the reason why they are not supported, for operators; often empty
 */
public record ValidateVolumeCapabilitiesResponse(Optional<Confirmed> confirmed, String message) {
    /**
     * The confirmed values. A field that the plugin does not know is empty.
     *
     * @param volumeContext the confirmed volume context
     * @param volumeCapabilities the confirmed capabilities
     * @param parameters the confirmed parameters
     * @param mutableParameters the confirmed mutable parameters
     */
    public record Confirmed(
            VolumeContext volumeContext,
            List<VolumeCapability> volumeCapabilities,
            Map<String, String> parameters,
            Map<String, String> mutableParameters) {
        public Confirmed {
            Objects.requireNonNull(volumeContext, "volumeContext");
            volumeCapabilities = List.copyOf(Objects.requireNonNull(volumeCapabilities, "volumeCapabilities"));
            parameters =
                    Collections.unmodifiableMap(new LinkedHashMap<>(Objects.requireNonNull(parameters, "parameters")));
            mutableParameters = Collections.unmodifiableMap(
                    new LinkedHashMap<>(Objects.requireNonNull(mutableParameters, "mutableParameters")));
        }
    }

    public ValidateVolumeCapabilitiesResponse {
        Objects.requireNonNull(confirmed, "confirmed");
        Objects.requireNonNull(message, "message");
    }
}
