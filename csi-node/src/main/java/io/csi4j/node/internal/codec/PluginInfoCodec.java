package io.csi4j.node.internal.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.core.rpc.GetPluginInfoResponse;

/** Converts the name and version of a plugin to a CSI message and back. */
public final class PluginInfoCodec {
    private PluginInfoCodec() {}

    public static ByteString write(GetPluginInfoResponse info) {
        return io.csi4j.proto.csi.v1.GetPluginInfoResponse.newBuilder()
                .setName(info.name())
                .setVendorVersion(info.vendorVersion())
                .putAllManifest(info.manifest())
                .build()
                .toByteString();
    }

    public static GetPluginInfoResponse read(ByteString bytes) throws InvalidProtocolBufferException {
        io.csi4j.proto.csi.v1.GetPluginInfoResponse wire = io.csi4j.proto.csi.v1.GetPluginInfoResponse.parseFrom(bytes);
        return new GetPluginInfoResponse(wire.getName(), wire.getVendorVersion(), wire.getManifestMap());
    }
}
