package io.csi4j.client.internal.service;

import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.codec.IdentityCodec;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.GetPluginCapabilitiesResponse;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.IdentityService;
import io.csi4j.core.rpc.ProbeResponse;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import java.util.concurrent.CompletableFuture;

/** The Identity service over gRPC. */
public final class IdentityClient implements IdentityService {
    private final ServiceCalls calls;

    public IdentityClient(ServiceCalls calls) {
        this.calls = calls;
    }

    @Override
    public CompletableFuture<GetPluginInfoResponse> getPluginInfo() {
        return calls.unary(
                CsiRequest.empty(),
                RpcCall.plain(
                        Rpc.GET_PLUGIN_INFO,
                        IdentityGrpc.getGetPluginInfoMethod(),
                        io.csi4j.proto.csi.v1.GetPluginInfoRequest.getDefaultInstance()),
                IdentityCodec::read);
    }

    @Override
    public CompletableFuture<GetPluginCapabilitiesResponse> getPluginCapabilities() {
        return calls.unary(
                CsiRequest.empty(),
                RpcCall.plain(
                        Rpc.GET_PLUGIN_CAPABILITIES,
                        IdentityGrpc.getGetPluginCapabilitiesMethod(),
                        io.csi4j.proto.csi.v1.GetPluginCapabilitiesRequest.getDefaultInstance()),
                IdentityCodec::read);
    }

    @Override
    public CompletableFuture<ProbeResponse> probe() {
        return calls.unary(
                CsiRequest.empty(),
                RpcCall.plain(
                        Rpc.PROBE,
                        IdentityGrpc.getProbeMethod(),
                        io.csi4j.proto.csi.v1.ProbeRequest.getDefaultInstance()),
                IdentityCodec::read);
    }
}
