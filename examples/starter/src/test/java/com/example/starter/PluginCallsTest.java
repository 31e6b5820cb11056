package com.example.starter;

import static io.csi4j.testkit.assertion.CsiAssertions.assertThat;

import io.csi4j.client.CsiClient;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.junit.CsiPluginTest;
import org.junit.jupiter.api.Test;

/** Calls to a plugin. The extension makes a plugin for each test, and fails a test that leaves an attachment. */
@CsiPluginTest
class PluginCallsTest {
    private static final ExternalVolumeId VOLUME = ExternalVolumeId.of("vol-1");
    private static final ExternalNodeId NODE = ExternalNodeId.of("node-1");

    @Test
    void attachmentIsTriedAgainWhileThePluginIsUnavailable(FakeCsiPlugin plugin, CsiClient client) {
        plugin.storage().provision("vol-1", 1 << 30);
        plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME)
                .forVolume("vol-1")
                .times(2)
                .failWith(StatusCode.UNAVAILABLE);

        var writer = VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
        client.controller()
                .controllerPublishVolume(ControllerPublishVolumeRequest.builder(VOLUME, NODE, writer)
                        .build())
                .join();
        assertThat(plugin).published("vol-1").onNode("node-1").usedAllFaults();

        client.controller()
                .controllerUnpublishVolume(
                        ControllerUnpublishVolumeRequest.builder(VOLUME, NODE).build())
                .join();
        assertThat(plugin).notPublished("vol-1");
    }
}
