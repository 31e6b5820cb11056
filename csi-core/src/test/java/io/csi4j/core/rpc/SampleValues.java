package io.csi4j.core.rpc;

import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.csi.BlockMetadataType;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.csi.WireEnum;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Two different values of each type that a builder or a record takes. */
final class SampleValues {
    private static final Map<String, List<?>> BY_TYPE = byType();

    private SampleValues() {}

    static Object of(Method setter, int sample) {
        return of(setter.getName(), setter.getGenericParameterTypes()[0], sample);
    }

    static Object of(String field, Type type, int sample) {
        if (type == String.class) {
            return (field.endsWith("Path") ? "/" : "") + field + sample;
        }
        if (type instanceof ParameterizedType parameterized && parameterized.getRawType() == Optional.class) {
            return Optional.of(of(field, parameterized.getActualTypeArguments()[0], sample));
        }
        String name = type.getTypeName().replaceAll("[a-z0-9]+\\.(?=[a-zA-Z])", "");
        List<?> samples = BY_TYPE.get(name);
        if (samples == null) {
            throw new AssertionError("no samples of " + name + " for " + field);
        }
        return samples.get(sample);
    }

    private static Map<String, List<?>> byType() {
        Map<String, List<?>> samples = new HashMap<>();
        ExternalVolumeId volume0 = ExternalVolumeId.of("vol-0");
        ExternalVolumeId volume1 = ExternalVolumeId.of("vol-1");
        SnapshotId snapshot0 = SnapshotId.of("snap-0");
        SnapshotId snapshot1 = SnapshotId.of("snap-1");
        VolumeCapability block = VolumeCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER);
        VolumeCapability mount = VolumeCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        Topology here = Topology.of("zone", "0");
        Topology there = Topology.of("zone", "1");
        ExternalVolume externalVolume0 = ExternalVolume.builder(volume0).build();
        ExternalVolume externalVolume1 = ExternalVolume.builder(volume1).build();
        Snapshot cut0 = Snapshot.builder(snapshot0, volume0).build();
        Snapshot cut1 = Snapshot.builder(snapshot1, volume0).build();
        VolumeCondition condition = new VolumeCondition(true, "bad");
        ExternalVolumeStatus status = new ExternalVolumeStatus(List.of(ExternalNodeId.of("n")), Optional.of(condition));
        VolumeHealthEntry entry = new VolumeHealthEntry(VolumeHealthStatus.DEGRADED, 1, "Slow", "slow");
        VolumeHealth ill = new VolumeHealth(volume0, List.of(entry));
        VolumeHealth well = new VolumeHealth(volume0, List.of());
        Map<String, String> map0 = Map.of("k", "0");
        Map<String, String> map1 = Map.of("k", "1");

        samples.put("int", List.of(3, 4));
        samples.put("long", List.of(5L, 6L));
        samples.put("Long", List.of(7L, 8L));
        samples.put("boolean", List.of(true, false));
        samples.put("Instant", List.of(Instant.ofEpochSecond(1), Instant.ofEpochSecond(2)));
        samples.put("Map<String, String>", List.of(map0, map1));
        samples.put("Secrets", List.of(Secrets.of(map0), Secrets.of(map1)));
        samples.put("VolumeContext", List.of(VolumeContext.of(map0), VolumeContext.of(map1)));
        samples.put("PublishContext", List.of(PublishContext.of(map0), PublishContext.of(map1)));
        samples.put("MountFlags", List.of(MountFlags.of("a"), MountFlags.of("b")));
        samples.put("ExternalVolumeId", List.of(volume0, volume1));
        samples.put("List<ExternalVolumeId>", List.of(List.of(volume0), List.of(volume0, volume1)));
        samples.put("ExternalNodeId", List.of(ExternalNodeId.of("n0"), ExternalNodeId.of("n1")));
        samples.put("SnapshotId", List.of(snapshot0, snapshot1));
        samples.put("List<SnapshotId>", List.of(List.of(snapshot0), List.of(snapshot1)));
        samples.put("GroupSnapshotId", List.of(GroupSnapshotId.of("g0"), GroupSnapshotId.of("g1")));
        samples.put("CapacityRange", List.of(CapacityRange.atLeast(1), CapacityRange.between(1, 2)));
        samples.put("VolumeCapability", List.of(block, mount));
        samples.put("List<VolumeCapability>", List.of(List.of(block), List.of(mount, block)));
        samples.put("Topology", List.of(here, there));
        samples.put("List<Topology>", List.of(List.of(here), List.of(there)));
        samples.put(
                "TopologyRequirement",
                List.of(TopologyRequirement.requisite(here), TopologyRequirement.requisite(there)));
        samples.put(
                "VolumeContentSource",
                List.of(VolumeContentSource.volume(volume0), VolumeContentSource.snapshot(snapshot0)));
        samples.put("ExternalVolume", List.of(externalVolume0, externalVolume1));
        samples.put("Snapshot", List.of(cut0, cut1));
        samples.put("List<Snapshot>", List.of(List.of(cut0), List.of(cut1)));
        samples.put(
                "VolumeGroupSnapshot",
                List.of(
                        VolumeGroupSnapshot.builder(GroupSnapshotId.of("g0")).build(),
                        VolumeGroupSnapshot.builder(GroupSnapshotId.of("g1")).build()));
        samples.put("VolumeCondition", List.of(condition, new VolumeCondition(false, "")));
        samples.put("ExternalVolumeStatus", List.of(status, new ExternalVolumeStatus(List.of(), Optional.empty())));
        samples.put("VolumeHealth", List.of(ill, well));
        samples.put("List<VolumeHealth>", List.of(List.of(ill), List.of(well)));
        samples.put(
                "List<StorageBackendHealth>",
                List.of(
                        List.of(),
                        List.of(new StorageBackendHealth(
                                StorageHealthStatus.UNKNOWN, 9, "New", "new", Optional.of(block)))));
        samples.put("List<VolumeUsage>", List.of(List.of(new VolumeUsage(1, 2, 1, VolumeUsageUnit.BYTES)), List.of()));
        samples.put("BlockMetadataType", List.of(BlockMetadataType.FIXED_LENGTH, BlockMetadataType.VARIABLE_LENGTH));
        samples.put("List<BlockMetadata>", List.of(List.of(new BlockMetadata(0, 1)), List.of(new BlockMetadata(1, 1))));
        samples.put(
                "List<ListVolumesResponse$Entry>",
                List.of(
                        List.of(new ListVolumesResponse.Entry(externalVolume0, Optional.of(status))),
                        List.of(new ListVolumesResponse.Entry(externalVolume0, Optional.empty()))));
        samples.put(
                "ValidateVolumeCapabilitiesResponse$Confirmed",
                List.of(
                        new ValidateVolumeCapabilitiesResponse.Confirmed(
                                VolumeContext.of(map0), List.of(block), map0, map1),
                        new ValidateVolumeCapabilitiesResponse.Confirmed(
                                VolumeContext.of(map0), List.of(block), map1, map0)));
        samples.put("CapabilitySet<ControllerCapability>", capabilities(ControllerCapability.class));
        samples.put("CapabilitySet<NodeCapability>", capabilities(NodeCapability.class));
        samples.put("CapabilitySet<PluginService>", capabilities(PluginService.class));
        samples.put("CapabilitySet<VolumeExpansion>", capabilities(VolumeExpansion.class));
        samples.put("CapabilitySet<GroupControllerCapability>", capabilities(GroupControllerCapability.class));
        return samples;
    }

    private static <E extends Enum<E> & WireEnum> List<CapabilitySet<E>> capabilities(Class<E> type) {
        return List.of(CapabilitySet.fromNumbers(type, List.of(1)), CapabilitySet.fromNumbers(type, List.of(1, 99)));
    }
}
