package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mounts that need a capability of the node plugin. */
class UnsupportedMountTest {
    @TempDir
    Path base;

    private void mountNeeds(Bench bench, NodeCapability needed, NodeMount mount) {
        assertThat(bench.failed(bench.volumes.mount(mount)))
                .isInstanceOfSatisfying(
                        NodeVolumeException.class,
                        e -> assertThat(e.reason()).isEqualTo(NodeVolumeException.Reason.UNSUPPORTED))
                .hasMessageContaining("Volume ns/v cannot be mounted as asked, nothing was sent")
                .hasMessageContaining("needs " + needed);
        assertThat(bench.node.stageRequests).isEmpty();
        assertThat(bench.node.publishRequests).isEmpty();
        assertThat(bench.volumes.volumes()).isEmpty();
        bench.node.offers.add(needed);
        bench.done(bench.volumes.mount(mount));
    }

    private static NodeMount.Builder mount(VolumeAccessMode mode) {
        return NodeMount.builder(Bench.id("v"), AllocationId.of("a"), RequestedCapability.mount(mode));
    }

    @ParameterizedTest
    @CsvSource({
        "SINGLE_NODE_SINGLE_WRITER, true",
        "SINGLE_NODE_SINGLE_WRITER, false",
        "SINGLE_NODE_MULTI_WRITER, true",
        "SINGLE_NODE_MULTI_WRITER, false"
    })
    void accessModeOfSeveralWritersNeedsItsCapability(VolumeAccessMode mode, boolean stages) {
        mountNeeds(
                new Bench(base, 1, stages),
                NodeCapability.SINGLE_NODE_MULTI_WRITER,
                mount(mode).build());
    }

    @ParameterizedTest
    @CsvSource({
        "staff, false, not a number",
        "0, false, not a number",
        "4294967295, false, not a number",
        "1, true, read-only"
    })
    void groupThatTheNodeCannotGiveNeedsThePlugin(String group, boolean readonly, String problem) {
        Bench bench = new Bench(base, 1, true);
        NodeMount mount = mount(VolumeAccessMode.SINGLE_NODE_WRITER)
                .mountOptions(new MountOptions("ext4", MountFlags.empty(), group))
                .readonly(readonly)
                .build();
        assertThat(bench.failed(bench.volumes.mount(mount)))
                .isInstanceOf(NodeVolumeException.class)
                .hasMessageContaining("nothing was sent")
                .hasMessageContaining("no VOLUME_MOUNT_GROUP")
                .hasMessageContaining(problem);
        assertThat(bench.node.stageRequests).isEmpty();
        assertThat(bench.volumes.volumes()).isEmpty();
        bench.node.offers.add(NodeCapability.VOLUME_MOUNT_GROUP);
        bench.done(bench.volumes.mount(mount));
    }
}
