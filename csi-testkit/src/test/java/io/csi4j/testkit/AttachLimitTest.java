package io.csi4j.testkit;

import static io.csi4j.testkit.PluginClient.refused;
import static io.grpc.Status.Code.RESOURCE_EXHAUSTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.proto.csi.v1.NodeGetInfoRequest;
import io.csi4j.proto.csi.v1.Volume;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The limit of a node that changes while its plugin runs. */
class AttachLimitTest {
    private final FakeCsiPlugin plugin =
            FakeCsiPlugin.builder().attachLimit(1).build().startInProcess();
    private final PluginClient client = PluginClient.inProcess(plugin);
    private final Walk walk = new Walk(client, plugin.nodeId());

    @AfterEach
    void close() throws Exception {
        client.close();
        plugin.close();
    }

    private long reported() {
        return client.node()
                .nodeGetInfo(NodeGetInfoRequest.getDefaultInstance())
                .getMaxVolumesPerNode();
    }

    @Test
    void raisedAttachLimitAdmitsMoreVolumes() {
        walk.attach(walk.create("first"), false);
        Volume second = walk.create("second");
        refused(RESOURCE_EXHAUSTED, () -> walk.attach(second, false));
        plugin.attachLimit(2);
        assertThat(reported()).isEqualTo(2);
        assertThat(walk.attach(second, false)).isNotNull();
    }

    @Test
    void publishedVolumesStayWhenLimitShrinks() {
        plugin.attachLimit(2);
        Volume first = walk.create("first");
        walk.attach(first, false);
        walk.attach(walk.create("second"), false);
        plugin.attachLimit(1);
        assertThat(reported()).isEqualTo(1);
        Volume third = walk.create("third");
        walk.detach(first.getVolumeId());
        refused(RESOURCE_EXHAUSTED, () -> walk.attach(third, false));
        plugin.attachLimit(0);
        walk.attach(third, false);
    }

    @Test
    void invalidLimitIsRefused() {
        assertThatThrownBy(() -> plugin.attachLimit(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("attachLimit is -1");
        try (FakeCsiPlugin controller = FakeCsiPlugin.builder().controllerOnly().build()) {
            assertThatThrownBy(() -> controller.attachLimit(1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("serves no node");
        }
    }
}
