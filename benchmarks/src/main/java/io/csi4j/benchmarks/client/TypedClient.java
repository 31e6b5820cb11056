package io.csi4j.benchmarks.client;

import io.csi4j.client.CsiClient;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerService;
import java.util.List;

/** Makes calls with the csi4j client. The request is a typed value, which the client encodes for each call. */
final class TypedClient implements CallLoop {
    private final String name;
    private final ControllerService controller;
    private final List<ControllerPublishVolumeRequest> requests;

    TypedClient(String name, CsiClient client) {
        this.name = name;
        this.controller = client.controller();
        this.requests = Wire.requests().stream().map(TypedClient::request).toList();
    }

    private static ControllerPublishVolumeRequest request(io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest wire) {
        return ControllerPublishVolumeRequest.builder(
                        ExternalVolumeId.of(wire.getVolumeId()),
                        ExternalNodeId.of(wire.getNodeId()),
                        VolumeCapability.mount(
                                VolumeAccessMode.SINGLE_NODE_WRITER,
                                MountVolume.builder()
                                        .fsType("ext4")
                                        .mountFlags(MountFlags.of("noatime"))
                                        .build()))
                .secrets(Secrets.of(wire.getSecretsMap()))
                .volumeContext(VolumeContext.of(wire.getVolumeContextMap()))
                .build();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void callAndWait() throws Exception {
        var unused = controller.controllerPublishVolume(requests.get(0)).get();
    }

    @Override
    public void begin(int volume, Runnable done) {
        var unused = controller.controllerPublishVolume(requests.get(volume)).whenComplete((answer, failure) -> {
            if (failure != null) {
                ClientBenchmark.stop(failure);
            } else {
                done.run();
            }
        });
    }

    /** Does nothing, because the caller closes the client. */
    @Override
    public void close() {}
}
