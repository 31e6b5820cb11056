package io.csi4j.benchmarks.client;

import io.csi4j.client.CsiClient;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerService;

/** csi4j: the same request as a typed value, translated anew for each call. */
final class TypedClient implements Caller {
    private final CsiClient client;
    private final ControllerService controller;
    private final ControllerPublishVolumeRequest request;

    TypedClient(CsiClient client) {
        this.client = client;
        this.controller = client.controller();
        var wire = Wire.request();
        this.request = ControllerPublishVolumeRequest.builder(
                        ExternalVolumeId.of(wire.getVolumeId()),
                        ExternalNodeId.of(wire.getNodeId()),
                        VolumeCapability.mount(
                                AccessMode.SINGLE_NODE_WRITER,
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
        return "csi4j client";
    }

    @Override
    public void callAndWait() throws Exception {
        var unused = controller.controllerPublishVolume(request).get();
    }

    @Override
    public void begin(Runnable done) {
        var unused = controller.controllerPublishVolume(request).whenComplete((answer, failure) -> {
            if (failure != null) {
                ClientBenchmark.stop(failure);
            } else {
                done.run();
            }
        });
    }

    @Override
    public void close() {
        client.close();
    }
}
