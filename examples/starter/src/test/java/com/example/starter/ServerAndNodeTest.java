package com.example.starter;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeOptions;
import io.csi4j.testkit.FakeCsiPlugin;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server and a node with a fake plugin, over sockets. The plugin mounts nothing, so the test needs no root. */
class ServerAndNodeTest {
    private static final NodeId NODE = NodeId.of("node-1");
    private static final VolumeKey VOLUME = VolumeKey.of("default", "db");
    private static final AllocationId WEB = AllocationId.of("web-1");

    @TempDir
    Path cluster;

    @Test
    void workloadGetsItsVolumeAndServerFreesItAtTheEnd() throws Exception {
        var options = NodeVolumeOptions.builder()
                .publishesWithoutMount(List.of(SchedulerServer.PLUGIN))
                .build();
        try (SchedulerServer server = SchedulerServer.start(cluster, NODE);
                SchedulerNode node = SchedulerNode.start(cluster, NODE, options);
                FakeCsiPlugin plugin =
                        FakeCsiPlugin.builder().nodeId("node-1").build().startOn(node.pluginEndpoint())) {
            node.pluginStarted();
            server.create(VOLUME);

            server.started(WEB, VOLUME, NODE);
            assertThat(node.prepare(WEB, VOLUME)).hasSize(1);
            assertThat(server.volume(VOLUME).claims()).hasSize(1);

            server.ended(WEB);
            server.delete(VOLUME, NODE);
            assertThat(plugin.storage().volumeIds()).isEmpty();
            assertThat(plugin.overlappingCalls()).isZero();
        }
    }
}
