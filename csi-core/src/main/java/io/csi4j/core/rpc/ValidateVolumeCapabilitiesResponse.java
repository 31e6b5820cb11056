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
 * The response of ValidateVolumeCapabilities (R69).
 *
 * <p>A caller has to compare what is confirmed with what it asked: older plugins pass over fields
 * they do not know.
 *
 * @param confirmed given only when everything asked for is supported
 * @param message why not, for people; often empty
 */
public record ValidateVolumeCapabilitiesResponse(Optional<Confirmed> confirmed, String message) {
    /**
     * The confirmed values. Fields that the plugin does not know are empty.
     *
     * @param volumeContext the context it confirmed
     * @param volumeCapabilities the capabilities it confirmed
     * @param parameters the parameters it confirmed
     * @param mutableParameters the mutable parameters it confirmed
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
