package io.csi4j.node.transport;

import io.csi4j.client.RelayedCall;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeForget;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.core.volume.WorkloadOwner;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.proto.csi.v1.DeleteVolumeRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A value of each kind, in which every field has a value of its own. */
final class Samples {
    static final VolumeKey KEY = VolumeKey.of("team", "db");
    static final PluginId PLUGIN = PluginId.of("ebs");
    static final ExternalVolumeId EXTERNAL = ExternalVolumeId.of("vol-1");
    static final ExternalNodeId MACHINE = ExternalNodeId.of("i-1");
    static final AllocationId WEB = AllocationId.of("web-1");
    static final NodeId NODE = NodeId.of("n1");
    static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    static final MountOptions OPTIONS = new MountOptions(
            "xfs",
            MountFlags.of("noatime", "discard"),
            "1000",
            new OwnershipOptions(GroupChangePolicy.ALWAYS, OptionalLong.of(1001), true),
            Optional.of(new SecurityLabel("system_u:object_r:container_file_t:s0:c1,c2")));
    static final Instant AT = Instant.ofEpochSecond(1_700_000_000L, 5);
    private static final Secrets SECRETS = Secrets.of(Map.of("user", "u", "password", "p"));
    private static final InstanceKey INSTANCE = new InstanceKey(NODE, PLUGIN, PluginType.MONOLITH, Optional.of(WEB));
    private static final VolumeUse USE = new VolumeUse(KEY, PLUGIN, EXTERNAL, WEB, ClaimMode.READ, WRITER, true);

    private Samples() {}

    private static <T> void put(Map<TransportCodec<?>, Object> samples, TransportCodec<T> codec, T value) {
        samples.put(codec, value);
    }

    @SuppressWarnings("deprecation") // Plugins of CSI 1.12 report the volume condition.
    static Map<TransportCodec<?>, Object> all() {
        Map<TransportCodec<?>, Object> all = new LinkedHashMap<>();
        put(
                all,
                TransportCodec.FAILURE,
                new CsiCallException(
                        Rpc.NODE_STAGE_VOLUME,
                        "ebs",
                        "vol-1",
                        StatusCode.ABORTED,
                        CallOutcome.RETRY_AFTER_CAUSE,
                        "the plugin says so",
                        "it was aborted",
                        null));
        put(
                all,
                TransportCodec.DETACH,
                new NodeDetach(KEY, PLUGIN, EXTERNAL, WEB, Optional.of(MACHINE), ClaimMode.READ, WRITER, OPTIONS));
        put(all, TransportCodec.DETACHED, NodeDetached.withOthers(List.of(USE)));
        put(
                all,
                TransportCodec.EXPAND,
                new NodeExpand(KEY, PLUGIN, EXTERNAL, WEB, WRITER, OPTIONS, new CapacityRange(5, 7), SECRETS));
        put(all, TransportCodec.EXPANSION, new NodeExpansion(7));
        put(all, TransportCodec.VOLUME_QUERY, new NodeVolumeQuery(KEY, PLUGIN, EXTERNAL, WEB));
        put(
                all,
                TransportCodec.VOLUME_STATS,
                new NodeGetVolumeStatsResponse(
                        List.of(new VolumeUsage(1, 3, 2, VolumeUsageUnit.INODES)),
                        Optional.of(new VolumeCondition(true, "slow"))));
        put(
                all,
                TransportCodec.VOLUME_HEALTH,
                new NodeGetVolumeHealthResponse(Optional.of(new VolumeHealth(
                        EXTERNAL,
                        List.of(new VolumeHealthEntry(VolumeHealthStatus.DEGRADED, 1, "reason", "message"))))));
        put(all, TransportCodec.STORAGE_QUERY, new StorageHealthQuery(PLUGIN, SECRETS));
        put(
                all,
                TransportCodec.STORAGE_HEALTH,
                new NodeGetStorageHealthResponse(List.of(new StorageBackendHealth(
                        StorageHealthStatus.STORAGE_DEGRADED,
                        1,
                        "reason",
                        "message",
                        Optional.of(VolumeCapability.mount(
                                VolumeAccessMode.SINGLE_NODE_WRITER,
                                new MountVolume("xfs", MountFlags.of("noatime"), "1000")))))));
        put(all, TransportCodec.PLUGIN, PLUGIN);
        put(all, TransportCodec.PLUGIN_INFO, new GetPluginInfoResponse("ebs.example.com", "1.2", Map.of("build", "7")));
        put(all, TransportCodec.REPORT, report());
        put(all, TransportCodec.FORGET, new NodeForget(KEY, WEB, "ann", "the plugin is gone"));
        put(
                all,
                TransportCodec.LEDGER,
                new LedgerReport(List.of(USE), List.of(KEY), Optional.of(Map.of(PLUGIN, MACHINE))));
        put(
                all,
                TransportCodec.RELAYED,
                new RelayedRequest(
                        INSTANCE,
                        RelayedCall.of(
                                Rpc.DELETE_VOLUME,
                                DeleteVolumeRequest.newBuilder()
                                        .setVolumeId("vol-1")
                                        .build()
                                        .toByteArray()),
                        Duration.ofSeconds(9)));
        put(all, TransportCodec.PAGE, new MetadataPage<>(List.of(new byte[] {1, 2}), true));
        put(
                all,
                TransportCodec.CLAIMS,
                List.of(new ClaimRequest(KEY, ClaimMode.READ, WRITER, OPTIONS)
                        .madeFrom(VolumeTemplate.builder(VolumeClassName.of("fast"))
                                .capacityRange(new CapacityRange(1_000, 2_000))
                                .requestedCapabilities(List.of(WRITER))
                                .ofWorkload(WorkloadOwner.of("web", 3))
                                .reuseRetained(true)
                                .nodeTopologyOnly(true)
                                .keepUnused(true)
                                .attributes(Map.of("subject", "web"))
                                .contentSource(VolumeContentSource.snapshot(SnapshotId.of("snap-1")))
                                .sourceSnapshot(SnapshotKey.of("team-a", "nightly"))
                                .build())));
        put(all, TransportCodec.MOUNTS, List.of(mount()));
        put(all, TransportCodec.FINGERPRINT, new NodeFingerprint(NODE, List.of(instance()), 7, AT));
        return all;
    }

    static NodeMount mount() {
        return NodeMount.builder(new NodeVolumeId(KEY, PLUGIN, EXTERNAL), WEB, WRITER)
                .mountOptions(OPTIONS)
                .targetFlags(MountFlags.of("ro"))
                .number(2)
                .readonly(true)
                .externalNodeId(MACHINE)
                .publishContext(PublishContext.of(Map.of("device", "/dev/sdb")))
                .volumeContext(VolumeContext.of(Map.of("pool", "fast")))
                .inline(true)
                .workloadInfo(VolumeContext.of(Map.of("csi.storage.k8s.io/pod.name", "web")))
                .republish(new RepublishOptions(
                        Duration.ofMinutes(10),
                        List.of("sts.example.com", "vault"),
                        Optional.of(Duration.ofHours(1)),
                        RepublishOptions.Delivery.VOLUME_CONTEXT,
                        false))
                .labelByMount(true)
                .ownershipSettings(new OwnershipSettings(false, List.of(".snapshot", "lost+found")))
                .stageSecrets(SECRETS)
                .publishSecrets(Secrets.of(Map.of("token", "t")))
                .build();
    }

    static NodeMount mountOfFixedOwnership() {
        return NodeMount.builder(new NodeVolumeId(KEY, PLUGIN, EXTERNAL), WEB, WRITER)
                .ownershipSettings(new OwnershipSettings(true, List.of()))
                .build();
    }

    static NodeMount mountWithTokensOnce() {
        return NodeMount.builder(new NodeVolumeId(KEY, PLUGIN, EXTERNAL), WEB, WRITER)
                .republish(new RepublishOptions(
                        Duration.ZERO, List.of("a"), Optional.empty(), RepublishOptions.Delivery.SECRETS, true))
                .build();
    }

    private static NodeReport report() {
        return new NodeReport(List.of(new NodeVolume(
                KEY,
                Optional.of(PLUGIN),
                Optional.of(EXTERNAL),
                true,
                true,
                "staging is broken",
                List.of(new NodeVolume.Use(
                        WEB, NodeVolume.State.UNMOUNTING, Optional.of(WRITER), true, "target is broken")),
                Optional.of(new NodeVolume.Call(Rpc.NODE_UNPUBLISH_VOLUME, Duration.ofMillis(11))),
                "the plugin",
                "it was busy",
                Duration.ofMillis(12))));
    }

    private static PluginInstance instance() {
        return PluginInstance.builder(INSTANCE, AT)
                .health(true, "ok")
                .updatedAt(AT.plusSeconds(9))
                .proved(true)
                .provider("ebs.example.com")
                .vendorVersion("1.2")
                .capabilities(Capabilities.unknown()
                        .withServices(CapabilitySet.fromNumbers(PluginService.class, List.of(1, 4_242)))
                        .withVolumeExpansion(CapabilitySet.fromNumbers(VolumeExpansion.class, List.of(1, 4_242)))
                        .withController(CapabilitySet.fromNumbers(ControllerCapability.class, List.of(1, 4_242)))
                        .withNode(CapabilitySet.fromNumbers(NodeCapability.class, List.of(1, 4_242))))
                .nodeInfo(new NodeInfo(MACHINE, 25, Optional.of(new Topology(Map.of("zone", "z1")))))
                .build();
    }
}
