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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Decodes the values that several kinds of rows of the state contain. An invalid value gives an
 * {@link IllegalArgumentException} that names the field.
 */
public final class PartsFromProto {
    private PartsFromProto() {}

    public static Instant time(StateProto.Time time) {
        try {
            return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("a time is out of range", e);
        }
    }

    public static <E extends Enum<E>> E name(Class<E> type, String field, String name) {
        try {
            return Enum.valueOf(type, name);
        } catch (IllegalArgumentException e) {
            throw new UnknownPartException(field + " is \"" + name + "\"", e);
        }
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

    public static Topology topology(StateProto.Topology topology) {
        return new Topology(entries(topology.getSegmentsList()));
    }

    public static List<Topology> topologies(List<StateProto.Topology> list) {
        return list.stream().map(PartsFromProto::topology).toList();
    }

    public static TopologyRequirement requirement(StateProto.TopologyRequirement requirement) {
        return new TopologyRequirement(
                topologies(requirement.getRequisiteList()), topologies(requirement.getPreferredList()));
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

    public static MountOptions mountOptions(StateProto.MountOptions options) {
        MountOptions read = new MountOptions(
                options.getFsType(), MountFlags.of(options.getMountFlagsList()), options.getVolumeMountGroup());
        return read.isEmpty() ? MountOptions.none() : read;
    }

    public static CapacityRange capacityRange(StateProto.CapacityRange range) {
        return new CapacityRange(range.getRequiredBytes(), range.getLimitBytes());
    }

    public static VolumeContentSource contentSource(StateProto.ContentSource source) {
        return switch (source.getSourceCase()) {
            case SNAPSHOT_ID -> VolumeContentSource.snapshot(SnapshotId.of(source.getSnapshotId()));
            case VOLUME_ID -> VolumeContentSource.volume(ExternalVolumeId.of(source.getVolumeId()));
            case SOURCE_NOT_SET -> throw new IllegalArgumentException("content_source names no source");
        };
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

    public static VolumeKey key(StateProto.VolumeName name) {
        return VolumeKey.of(name.getNamespace(), name.getVolumeId());
    }

    public static OperatorOverride override(StateProto.Override override) {
        return new OperatorOverride(override.getOperator(), override.getReason(), time(override.getAt()));
    }

    public static DeploymentId deploymentId(StateProto.DeploymentId id) {
        return DeploymentId.of(id.getNamespace(), id.getName());
    }

    public static <E extends Enum<E> & WireEnum> CapabilitySet<E> capabilities(
            Class<E> type, StateProto.Capabilities set) {
        return CapabilitySet.fromNumbers(type, set.getNumbersList());
    }
}
