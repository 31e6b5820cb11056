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

    /**
     * Reads the response; the plugin's name is required, because it identifies the plugin; the version may be missing.
     */
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
                    // Ignores a kind of capability that this version does not know.
                }
            }
        }
        return new GetPluginCapabilitiesResponse(
                CapabilitySet.fromNumbers(PluginService.class, services),
                CapabilitySet.fromNumbers(VolumeExpansion.class, expansion));
    }

    /** Reads the response; a plugin that does not report its readiness counts as ready (R39). */
    public static ProbeResponse read(io.csi4j.proto.csi.v1.ProbeResponse wire) {
        return new ProbeResponse(!wire.hasReady() || wire.getReady().getValue());
    }
}
