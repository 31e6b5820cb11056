package io.csi4j.state.internal.codec;

import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.UnresolvedCall;
import io.csi4j.proto.state.v1.StateProto;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The values that several kinds of rows of the state contain, for example times. A value that cannot be read gives an {@link IllegalArgumentException} that names the field. */
public final class Parts {
    private Parts() {}

    public static StateProto.Time time(Instant time) {
        return StateProto.Time.newBuilder()
                .setSeconds(time.getEpochSecond())
                .setNanos(time.getNano())
                .build();
    }

    public static Instant time(StateProto.Time time) {
        try {
            return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("a time is out of range", e);
        }
    }

    /** Converts a map to a list, in the order of the map: requests to plugins keep this order. */
    public static List<StateProto.Entry> entries(Map<String, String> map) {
        List<StateProto.Entry> entries = new ArrayList<>(map.size());
        map.forEach((key, value) -> entries.add(
                StateProto.Entry.newBuilder().setKey(key).setValue(value).build()));
        return entries;
    }

    public static Map<String, String> entries(List<StateProto.Entry> entries) {
        if (entries.isEmpty()) {
            return Map.of();
        }
        Map<String, String> map = new LinkedHashMap<>();
        entries.forEach(entry -> map.put(entry.getKey(), entry.getValue()));
        if (map.size() < entries.size()) {
            throw new IllegalArgumentException("a key is there twice in a map");
        }
        return map;
    }

    public static StateProto.Topology topology(Topology topology) {
        return StateProto.Topology.newBuilder()
                .addAllSegments(entries(topology.segments()))
                .build();
    }

    public static Topology topology(StateProto.Topology topology) {
        return new Topology(entries(topology.getSegmentsList()));
    }

    public static StateProto.TopologyRequirement requirement(TopologyRequirement requirement) {
        StateProto.TopologyRequirement.Builder builder = StateProto.TopologyRequirement.newBuilder();
        requirement.requisite().forEach(topology -> builder.addRequisite(topology(topology)));
        requirement.preferred().forEach(topology -> builder.addPreferred(topology(topology)));
        return builder.build();
    }

    public static TopologyRequirement requirement(StateProto.TopologyRequirement requirement) {
        return new TopologyRequirement(
                topologies(requirement.getRequisiteList()), topologies(requirement.getPreferredList()));
    }

    public static StateProto.Capability capability(RequestedCapability capability) {
        return StateProto.Capability.newBuilder()
                .setAccessMode(capability.accessMode().number())
                .setAttachmentMode(capability.attachmentMode().name())
                .build();
    }

    public static RequestedCapability capability(StateProto.Capability capability) {
        for (AccessMode mode : AccessMode.values()) {
            if (mode.number() == capability.getAccessMode()) {
                return new RequestedCapability(
                        mode, name(AttachmentMode.class, "attachment_mode", capability.getAttachmentMode()));
            }
        }
        throw new UnknownPartException("access_mode is " + capability.getAccessMode(), null);
    }

    /** Writes the options without the mount flags, which are confidential. */
    public static StateProto.MountOptions mountOptions(MountOptions options) {
        return StateProto.MountOptions.newBuilder()
                .setFsType(options.fsType())
                .setVolumeMountGroup(options.volumeMountGroup())
                .build();
    }

    public static MountOptions mountOptions(StateProto.MountOptions options) {
        MountOptions read = new MountOptions(
                options.getFsType(), MountFlags.of(options.getMountFlagsList()), options.getVolumeMountGroup());
        return read.isEmpty() ? MountOptions.none() : read;
    }

    public static StateProto.MountOptions mountFlags(MountOptions options) {
        return StateProto.MountOptions.newBuilder()
                .addAllMountFlags(options.mountFlags().asList())
                .build();
    }

    public static StateProto.CapacityRange capacityRange(CapacityRange range) {
        return StateProto.CapacityRange.newBuilder()
                .setRequiredBytes(range.requiredBytes())
                .setLimitBytes(range.limitBytes())
                .build();
    }

    public static CapacityRange capacityRange(StateProto.CapacityRange range) {
        return new CapacityRange(range.getRequiredBytes(), range.getLimitBytes());
    }

    public static StateProto.ContentSource contentSource(VolumeContentSource source) {
        StateProto.ContentSource.Builder builder = StateProto.ContentSource.newBuilder();
        if (source instanceof VolumeContentSource.SnapshotSource snapshot) {
            builder.setSnapshotId(snapshot.snapshotId().value());
        } else if (source instanceof VolumeContentSource.VolumeSource volume) {
            builder.setVolumeId(volume.volumeId().value());
        }
        return builder.build();
    }

    public static VolumeContentSource contentSource(StateProto.ContentSource source) {
        return switch (source.getSourceCase()) {
            case SNAPSHOT_ID -> VolumeContentSource.snapshot(SnapshotId.of(source.getSnapshotId()));
            case VOLUME_ID -> VolumeContentSource.volume(ExternalVolumeId.of(source.getVolumeId()));
            case SOURCE_NOT_SET -> throw new IllegalArgumentException("content_source names no source");
        };
    }

    public static StateProto.FencingPolicy fencingPolicy(FencingPolicy policy) {
        StateProto.FencingPolicy.Builder builder = StateProto.FencingPolicy.newBuilder();
        if (policy instanceof FencingPolicy.AfterGrace after) {
            return builder.setKind("AFTER_GRACE")
                    .setGraceSeconds(after.grace().toSeconds())
                    .setGraceNanos(after.grace().toNanosPart())
                    .build();
        }
        return builder.setKind(policy instanceof FencingPolicy.OnFence ? "ON_FENCE" : "WAIT_FOR_CONFIRMATION")
                .build();
    }

    public static FencingPolicy fencingPolicy(StateProto.FencingPolicy policy) {
        return switch (policy.getKind()) {
            case "WAIT_FOR_CONFIRMATION" -> FencingPolicy.waitForConfirmation();
            case "ON_FENCE" -> FencingPolicy.onFence();
            case "AFTER_GRACE" ->
                FencingPolicy.afterGrace(Duration.ofSeconds(policy.getGraceSeconds(), policy.getGraceNanos()));
            default -> throw new UnknownPartException("fencing_policy is \"" + policy.getKind() + "\"", null);
        };
    }

    public static StateProto.Retry retry(Retry retry) {
        StateProto.Retry.Builder builder = StateProto.Retry.newBuilder().setAttempts(retry.attempts());
        retry.lastError().ifPresent(builder::setLastError);
        retry.nextRetry().ifPresent(at -> builder.setNextRetry(time(at)));
        retry.unresolved()
                .ifPresent(call -> builder.setUnresolved(StateProto.UnresolvedCall.newBuilder()
                        .setIndex(call.index())
                        .setEarlier(call.earlier())
                        .setUnclear(call.unclear())
                        .setNoRoom(call.noRoom())));
        return builder.build();
    }

    public static Retry retry(StateProto.Retry retry) {
        return Retry.of(
                        retry.getAttempts(),
                        retry.hasLastError() ? retry.getLastError() : null,
                        retry.hasNextRetry() ? time(retry.getNextRetry()) : null)
                .unresolved(
                        retry.hasUnresolved()
                                ? new UnresolvedCall(
                                        retry.getUnresolved().getIndex(),
                                        retry.getUnresolved().getEarlier(),
                                        retry.getUnresolved().getUnclear(),
                                        retry.getUnresolved().getNoRoom())
                                : null);
    }

    public static StateProto.VolumeName name(VolumeKey key) {
        return StateProto.VolumeName.newBuilder()
                .setNamespace(key.namespace().value())
                .setVolumeId(key.volumeId().value())
                .build();
    }

    public static VolumeKey key(StateProto.VolumeName name) {
        return VolumeKey.of(name.getNamespace(), name.getVolumeId());
    }

    public static StateProto.Override override(OperatorOverride override) {
        return StateProto.Override.newBuilder()
                .setOperator(override.operator())
                .setReason(override.reason())
                .setAt(time(override.at()))
                .build();
    }

    public static OperatorOverride override(StateProto.Override override) {
        return new OperatorOverride(override.getOperator(), override.getReason(), time(override.getAt()));
    }

    public static StateProto.DeploymentId deploymentId(DeploymentId id) {
        return StateProto.DeploymentId.newBuilder()
                .setNamespace(id.namespace().value())
                .setName(id.name())
                .build();
    }

    public static DeploymentId deploymentId(StateProto.DeploymentId id) {
        return DeploymentId.of(id.getNamespace(), id.getName());
    }

    public static <E extends Enum<E> & WireEnum> StateProto.Capabilities capabilities(CapabilitySet<E> set) {
        TreeSet<Integer> numbers = new TreeSet<>(set.unknownNumbers());
        set.known().forEach(capability -> numbers.add(capability.number()));
        return StateProto.Capabilities.newBuilder().addAllNumbers(numbers).build();
    }

    public static <E extends Enum<E> & WireEnum> CapabilitySet<E> capabilities(
            Class<E> type, StateProto.Capabilities set) {
        return CapabilitySet.fromNumbers(type, set.getNumbersList());
    }

    public static <E extends Enum<E>> E name(Class<E> type, String field, String name) {
        try {
            return Enum.valueOf(type, name);
        } catch (IllegalArgumentException e) {
            throw new UnknownPartException(field + " is \"" + name + "\"", e);
        }
    }

    public static List<Topology> topologies(List<StateProto.Topology> list) {
        return list.stream().map(Parts::topology).toList();
    }
}
