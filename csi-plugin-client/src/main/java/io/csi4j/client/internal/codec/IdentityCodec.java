package io.csi4j.client.internal.codec;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.rpc.GetPluginCapabilitiesResponse;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.ProbeResponse;
import io.csi4j.proto.csi.v1.PluginCapability;
import java.util.ArrayList;
import java.util.List;

/** Decodes the responses of the Identity service (R37-R39), whose requests have no fields. */
public final class IdentityCodec {
    private IdentityCodec() {}

    /** Requires a name, because plugins are told apart by it. The version may be missing. */
    public static GetPluginInfoResponse read(io.csi4j.proto.csi.v1.GetPluginInfoResponse wire) {
        return new GetPluginInfoResponse(
                AnswerCheck.given("name", wire.getName()), wire.getVendorVersion(), wire.getManifestMap());
    }

    public static GetPluginCapabilitiesResponse read(io.csi4j.proto.csi.v1.GetPluginCapabilitiesResponse wire) {
        List<Integer> services = new ArrayList<>();
        List<Integer> expansion = new ArrayList<>();
        for (PluginCapability capability : wire.getCapabilitiesList()) {
            switch (capability.getTypeCase()) {
                case SERVICE -> services.add(capability.getService().getTypeValue());
                case VOLUME_EXPANSION ->
                    expansion.add(capability.getVolumeExpansion().getTypeValue());
                case TYPE_NOT_SET -> {
                    // A kind of capability that this version does not know, which is no error.
                }
            }
        }
        return new GetPluginCapabilitiesResponse(
                CapabilitySet.fromNumbers(PluginService.class, services),
                CapabilitySet.fromNumbers(VolumeExpansion.class, expansion));
    }

    /** Returns ready for a plugin that does not report its readiness (R39). */
    public static ProbeResponse read(io.csi4j.proto.csi.v1.ProbeResponse wire) {
        return new ProbeResponse(!wire.hasReady() || wire.getReady().getValue());
    }
}
