package io.csi4j.testkit.internal.service;

import io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesRequest;
import io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesResponse;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.rule.Problems;
import io.csi4j.testkit.internal.rule.VolumeRules;
import io.csi4j.testkit.internal.storage.StoredVolumes;
import io.csi4j.testkit.internal.storage.VolumeRecord;
import java.util.Map;

/** The response of ValidateVolumeCapabilities: confirmed only if everything is supported (R69). */
final class Confirmation {
    private Confirmation() {}

    static ValidateVolumeCapabilitiesResponse of(
            PluginConfig config, VolumeRecord volume, ValidateVolumeCapabilitiesRequest request) {
        Problems problems = new Problems();
        new VolumeRules(
                        config.has(FakeCapability.CONTROLLER_SINGLE_NODE_MULTI_WRITER),
                        config.has(FakeCapability.VOLUME_MOUNT_GROUP))
                .each(request.getVolumeCapabilitiesList(), "volume_capabilities", problems);
        for (VolumeCapability wanted : request.getVolumeCapabilitiesList()) {
            problems.require(
                    StoredVolumes.supports(volume, wanted),
                    "volume_capabilities",
                    "the volume was not made for " + (wanted.hasBlock() ? "block " : "mount ")
                            + wanted.getAccessMode().getMode());
        }
        matches(request.getVolumeContextMap(), volume.volume().getVolumeContextMap(), "volume_context", problems);
        matches(request.getParametersMap(), volume.request().getParametersMap(), "parameters", problems);
        matches(request.getModifiableParametersMap(), volume.mutable(), "mutable_parameters", problems);
        try {
            problems.refuseIfAny();
        } catch (CallRefusal refusal) {
            return ValidateVolumeCapabilitiesResponse.newBuilder()
                    .setMessage(refusal.getMessage())
                    .build();
        }
        return ValidateVolumeCapabilitiesResponse.newBuilder()
                .setConfirmed(ValidateVolumeCapabilitiesResponse.Confirmed.newBuilder()
                        .putAllVolumeContext(request.getVolumeContextMap())
                        .addAllVolumeCapabilities(request.getVolumeCapabilitiesList())
                        .putAllParameters(request.getParametersMap())
                        .putAllModifiableParameters(request.getModifiableParametersMap()))
                .build();
    }

    private static void matches(Map<String, String> given, Map<String, String> known, String field, Problems problems) {
        problems.require(
                given.isEmpty() || given.equals(known),
                field,
                "are not those of the volume; leave them out or correct them");
    }

    static void requireAccessType(VolumeRecord volume, VolumeCapability given) {
        if (volume.block() != given.hasBlock()) {
            throw CallRefusal.invalid("volume_capability: volume '" + volume.id() + "' is a "
                    + (volume.block() ? "block" : "mount") + " volume; give that access type or none (R84, R95)");
        }
    }
}
