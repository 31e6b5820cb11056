package io.csi4j.testkit.internal.service;

import com.google.protobuf.BoolValue;
import io.csi4j.proto.csi.v1.GetPluginCapabilitiesRequest;
import io.csi4j.proto.csi.v1.GetPluginCapabilitiesResponse;
import io.csi4j.proto.csi.v1.GetPluginInfoRequest;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.PluginCapability;
import io.csi4j.proto.csi.v1.ProbeRequest;
import io.csi4j.proto.csi.v1.ProbeResponse;
import io.csi4j.testkit.capability.FakeCapability;
import io.grpc.stub.StreamObserver;
import java.util.TreeSet;

/**
 * The Identity service (R37-R41). Reports the capabilities of the whole plugin, whichever services this instance has (R38).
 */
public final class FakeIdentityService extends IdentityGrpc.IdentityImplBase {
    private final PluginConfig config;
    private final GetPluginCapabilitiesResponse capabilities;

    public FakeIdentityService(PluginConfig config) {
        this.config = config;
        GetPluginCapabilitiesResponse.Builder response = GetPluginCapabilitiesResponse.newBuilder();
        for (FakeCapability capability : new TreeSet<>(config.capabilities())) {
            PluginCapability.Builder entry = PluginCapability.newBuilder();
            switch (capability.service()) {
                case PLUGIN ->
                    response.addCapabilities(entry.setService(
                            PluginCapability.Service.newBuilder().setTypeValue(capability.number())));
                case EXPANSION ->
                    response.addCapabilities(entry.setVolumeExpansion(
                            PluginCapability.VolumeExpansion.newBuilder().setTypeValue(capability.number())));
                default -> {
                    // Adds nothing: the controller, node or group controller service reports this capability.
                }
            }
        }
        capabilities = response.build();
    }

    @Override
    public void getPluginInfo(GetPluginInfoRequest request, StreamObserver<GetPluginInfoResponse> caller) {
        Answer.with(
                caller,
                () -> GetPluginInfoResponse.newBuilder()
                        .setName(config.name())
                        .setVendorVersion(config.vendorVersion())
                        .build());
    }

    @Override
    public void getPluginCapabilities(
            GetPluginCapabilitiesRequest request, StreamObserver<GetPluginCapabilitiesResponse> caller) {
        Answer.with(caller, () -> capabilities);
    }

    @Override
    public void probe(ProbeRequest request, StreamObserver<ProbeResponse> caller) {
        Answer.with(
                caller,
                () -> ProbeResponse.newBuilder().setReady(BoolValue.of(true)).build());
    }
}
