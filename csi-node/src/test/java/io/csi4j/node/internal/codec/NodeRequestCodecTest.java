package io.csi4j.node.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.node.NodeUnmount;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests to a node are decoded with all fields that were encoded. */
class NodeRequestCodecTest {
    private static final VolumeKey KEY = VolumeKey.of("team", "db");
    private static final PluginId PLUGIN = PluginId.of("ebs");
    private static final ExternalVolumeId EXTERNAL = ExternalVolumeId.of("vol-1");
    private static final AllocationId WEB = AllocationId.of("web-1");
    private static final MountOptions OPTIONS = new MountOptions("xfs", MountFlags.of("noatime", "discard"), "1000");

    static Stream<RequestedCapability> capabilities() {
        return Stream.of(VolumeAccessMode.values())
                .filter(mode -> mode.number() > 0)
                .flatMap(mode -> Stream.of(RequestedCapability.mount(mode), RequestedCapability.block(mode)));
    }

    @ParameterizedTest
    @MethodSource("capabilities")
    void expandRequestIsDecodedToEqualRequest(RequestedCapability capability) {
        NodeExpand expand = new NodeExpand(
                KEY,
                PLUGIN,
                EXTERNAL,
                WEB,
                capability,
                OPTIONS,
                new CapacityRange(5, 7),
                Secrets.of(Map.of("user", "u", "password", "p")));
        assertThat(NodeRequestCodec.read(NodeRequestCodec.write(expand))).isEqualTo(expand);
        assertThat(NodeRequestCodec.read(NodeRequestCodec.write(expand))
                        .secrets()
                        .asMap())
                .isEqualTo(expand.secrets().asMap());
        assertThat(NodeRequestCodec.read(NodeRequestCodec.write(expand))
                        .mountOptions()
                        .mountFlags())
                .isEqualTo(OPTIONS.mountFlags());
    }

    @Test
    void ledgerReportIsDecodedToEqualReport() {
        VolumeUse use = new VolumeUse(
                KEY,
                PLUGIN,
                EXTERNAL,
                WEB,
                ClaimMode.READ,
                RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY),
                true);
        LedgerReport unknown = new LedgerReport(List.of(use), List.of(KEY));
        for (LedgerReport report :
                List.of(unknown, unknown.of(Map.of()), unknown.of(Map.of(PLUGIN, ExternalNodeId.of("i-1"))))) {
            assertThat(NodeRequestCodec.read(NodeRequestCodec.write(report))).isEqualTo(report);
        }
    }

    @Test
    void volumeQueryIsDecodedToEqualQuery() {
        NodeVolumeQuery query = new NodeVolumeQuery(KEY, PLUGIN, EXTERNAL, WEB);
        assertThat(NodeRequestCodec.query(NodeRequestCodec.use(query))).isEqualTo(query);
    }

    @ParameterizedTest
    @MethodSource("capabilities")
    void detachRequestIsDecodedToEqualRequest(RequestedCapability capability) {
        for (Optional<ExternalNodeId> node :
                java.util.List.of(Optional.<ExternalNodeId>empty(), Optional.of(ExternalNodeId.of("i-1")))) {
            for (ClaimMode mode : ClaimMode.values()) {
                NodeDetach detach = new NodeDetach(KEY, PLUGIN, EXTERNAL, WEB, node, mode, capability, OPTIONS);
                assertThat(NodeRequestCodec.read(NodeRequestCodec.write(detach)))
                        .isEqualTo(detach);
                assertThat(NodeRequestCodec.unmount(NodeRequestCodec.write(detach)))
                        .isEqualTo(NodeUnmount.of(detach));
            }
        }
    }
}
