package io.csi4j.node.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.core.volume.WorkloadOwner;
import io.csi4j.proto.agent.v1.AgentProto;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Messages have the bytes that peers of earlier versions send and read. */
class MessageBytesTest {
    private static final VolumeKey KEY = VolumeKey.of("team", "db");
    private static final PluginId PLUGIN = PluginId.of("ebs");
    private static final ExternalVolumeId EXTERNAL = ExternalVolumeId.of("vol-1");
    private static final AllocationId WEB = AllocationId.of("web-1");
    private static final NodeId NODE = NodeId.of("n1");
    private static final MountOptions OPTIONS = new MountOptions("xfs", MountFlags.of("noatime", "discard"), "1000");

    @Test
    void fingerprintKeepsItsBytes() throws Exception {
        Map<String, String> segments = new LinkedHashMap<>();
        segments.put("zone", "z1");
        segments.put("rack", "r7");
        Instant at = Instant.ofEpochSecond(1_700_000_000L, 5);
        PluginInstance instance = PluginInstance.builder(
                        new InstanceKey(NODE, PLUGIN, PluginType.MONOLITH, Optional.of(WEB)), at)
                .health(true, "ok")
                .updatedAt(at.plusSeconds(9))
                .provider("ebs.example.com")
                .vendorVersion("1.2")
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(CapabilitySet.fromNumbers(ControllerCapability.class, List.of(1, 2, 4_242))))
                .nodeInfo(new NodeInfo(ExternalNodeId.of("i-1"), 25, Optional.of(new Topology(segments))))
                .build();
        NodeFingerprint report = new NodeFingerprint(NODE, List.of(instance), 7, at);
        byte[] bytes = bytes(
                FingerprintCodec.write(report).toBuilder().clearVersion().build(),
                "12026e311a700a0e0a0365627310031a057765622d3110011a026f6b22080880e2cfaa0610052a08"
                        + "0889e2cfaa061005320f6562732e6578616d706c652e636f6d3a03312e3242030a01014a060a0401"
                        + "02922162210a03692d3110191a180a0a0a047a6f6e6512027a310a0a0a047261636b120272372208"
                        + "0880e2cfaa0610052807");
        assertThat(FingerprintCodec.read(AgentProto.FingerprintRequest.parseFrom(bytes), at)
                        .instances())
                .containsExactly(instance);
    }

    /** An agent of an older version does not say that an instance has not answered. */
    @Test
    void instanceIsReadAsUnprovedOnlyIfItsAgentSaysSo() throws Exception {
        Instant at = Instant.ofEpochSecond(1_700_000_000L);
        PluginInstance waiting = PluginInstance.builder(
                        new InstanceKey(NODE, PLUGIN, PluginType.NODE, Optional.empty()), at)
                .health(false, "its socket is missing")
                .proved(false)
                .build();
        AgentProto.FingerprintRequest said = FingerprintCodec.write(new NodeFingerprint(NODE, List.of(waiting), 7, at));
        assertThat(FingerprintCodec.read(said, at).instances()).containsExactly(waiting);
        AgentProto.FingerprintRequest.Builder older = said.toBuilder();
        older.getInstancesBuilder(0).clearUnproved();
        assertThat(FingerprintCodec.read(older.build(), at).instances())
                .containsExactly(waiting.toBuilder().proved(true).build());
        AgentProto.FingerprintRequest.Builder contradicting = said.toBuilder();
        contradicting.getInstancesBuilder(0).setHealthy(true);
        assertThat(FingerprintCodec.read(contradicting.build(), at).instances()).allMatch(PluginInstance::proved);
    }

    @Test
    void ledgerReportKeepsItsBytes() throws Exception {
        VolumeUse use = new VolumeUse(
                KEY,
                PLUGIN,
                EXTERNAL,
                WEB,
                ClaimMode.READ,
                RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER),
                true);
        Map<PluginId, ExternalNodeId> machines =
                Map.of(PLUGIN, ExternalNodeId.of("i-1"), PluginId.of("nfs"), ExternalNodeId.of("host-1"));
        LedgerReport report = new LedgerReport(List.of(use), List.of(KEY), Optional.of(machines));
        byte[] bytes = bytes(
                NodeRequestCodec.write(report),
                "0a2b0a1f0a0a0a047465616d1202646212036562731a05766f6c2d3122057765622d3110011a0408"
                        + "0110022001120a0a047465616d120264621a1b0a0a0a036562731203692d310a0d0a036e66731206"
                        + "686f73742d31");
        assertThat(NodeRequestCodec.read(AgentProto.LedgerReport.parseFrom(bytes)))
                .isEqualTo(report);
    }

    @Test
    void requestsWithMountOptionsKeepTheirBytes() throws Exception {
        ClaimRequest request = new ClaimRequest(
                KEY, ClaimMode.WRITE, RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER), OPTIONS);
        byte[] bytes = bytes(
                GrantCodec.write(request),
                "0a0a0a047465616d1202646210021a0408011002221d0a0378667312076e6f6174696d6512076469"
                        + "73636172641a0431303030");
        assertThat(GrantCodec.read(AgentProto.ClaimedVolume.parseFrom(bytes))).isEqualTo(request);
    }

    @Test
    void requestsWithTemplatesKeepTheirBytes() throws Exception {
        RequestedCapability writer = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
        ClaimRequest request = ClaimRequest.writing(KEY, writer)
                .madeFrom(VolumeTemplate.builder(VolumeClassName.of("fast"))
                        .capacityRange(new CapacityRange(1_000, 2_000))
                        .requestedCapabilities(List.of(writer))
                        .ofWorkload(WorkloadOwner.of("web", 3))
                        .reuseRetained(true)
                        .nodeTopologyOnly(true)
                        .keepUnused(true)
                        .build());
        byte[] bytes = bytes(
                GrantCodec.write(request),
                "0a0a0a047465616d1202646210021a040801100222002a210a046661737410e80718d00f22040801"
                        + "10022803320377656238034001"
                        + "48015001");
        assertThat(GrantCodec.read(AgentProto.ClaimedVolume.parseFrom(bytes))).isEqualTo(request);
        for (VolumeTemplate.Builder other : List.of(
                VolumeTemplate.builder(VolumeClassName.of("fast")),
                VolumeTemplate.builder(VolumeClassName.of("fast")).ofAllocation())) {
            ClaimRequest less = ClaimRequest.writing(KEY, writer).madeFrom(other.build());
            assertThat(GrantCodec.read(GrantCodec.write(less))).isEqualTo(less);
        }
        AgentProto.ClaimedVolume.Builder newer = AgentProto.ClaimedVolume.parseFrom(bytes).toBuilder();
        newer.getTemplateBuilder().setLifetimeValue(9);
        assertThatThrownBy(() -> GrantCodec.read(newer.build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lifetime 9, which this version does not know");
    }

    /** Returns the bytes of a message, after comparing them with those that this message always had. */
    private static byte[] bytes(Message message, String expected) {
        assertThat(HexFormat.of().formatHex(message.toByteArray())).isEqualTo(expected);
        return HexFormat.of().parseHex(expected);
    }
}
