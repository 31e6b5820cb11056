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

/** The answers of the Identity service (R37-R39). Its requests have no fields. */
public final class IdentityCodec {
    private IdentityCodec() {}

    /** A plugin that does not tell its version is usable; one without a name cannot be told from others. */
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
                    // A kind of capability this version does not know, which is no error.
                }
            }
        }
        return new GetPluginCapabilitiesResponse(
                CapabilitySet.fromNumbers(PluginService.class, services),
                CapabilitySet.fromNumbers(VolumeExpansion.class, expansion));
    }

    /** R39: a plugin that does not say whether it is ready, is. */
    public static ProbeResponse read(io.csi4j.proto.csi.v1.ProbeResponse wire) {
        return new ProbeResponse(!wire.hasReady() || wire.getReady().getValue());
    }
}
