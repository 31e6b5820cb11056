package io.csi4j.state.internal.codec;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.proto.state.v1.StateProto;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Encodes the values that several kinds of rows of the state contain, for example times. */
public final class PartsToProto {
    private PartsToProto() {}

    public static StateProto.Time time(Instant time) {
        return StateProto.Time.newBuilder()
                .setSeconds(time.getEpochSecond())
                .setNanos(time.getNano())
                .build();
    }

    /** Converts a map to a list, in the order of the map: requests to plugins keep this order. */
    public static List<StateProto.Entry> entries(Map<String, String> map) {
        List<StateProto.Entry> entries = new ArrayList<>(map.size());
        map.forEach((key, value) -> entries.add(
                StateProto.Entry.newBuilder().setKey(key).setValue(value).build()));
        return entries;
    }

    public static StateProto.Topology topology(Topology topology) {
        return StateProto.Topology.newBuilder()
                .addAllSegments(entries(topology.segments()))
                .build();
    }

    public static StateProto.TopologyRequirement requirement(TopologyRequirement requirement) {
        StateProto.TopologyRequirement.Builder builder = StateProto.TopologyRequirement.newBuilder();
        requirement.requisite().forEach(topology -> builder.addRequisite(topology(topology)));
        requirement.preferred().forEach(topology -> builder.addPreferred(topology(topology)));
        return builder.build();
    }

    public static StateProto.Capability capability(RequestedCapability capability) {
        return StateProto.Capability.newBuilder()
                .setAccessMode(capability.accessMode().number())
                .setAttachmentMode(capability.attachmentMode().name())
                .build();
    }

    /** Writes the options without the mount flags, which are confidential. */
    public static StateProto.MountOptions mountOptions(MountOptions options) {
        return StateProto.MountOptions.newBuilder()
                .setFsType(options.fsType())
                .setVolumeMountGroup(options.volumeMountGroup())
                .build();
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

    public static StateProto.ContentSource contentSource(VolumeContentSource source) {
        StateProto.ContentSource.Builder builder = StateProto.ContentSource.newBuilder();
        if (source instanceof VolumeContentSource.SnapshotSource snapshot) {
            builder.setSnapshotId(snapshot.snapshotId().value());
        } else if (source instanceof VolumeContentSource.VolumeSource volume) {
            builder.setVolumeId(volume.volumeId().value());
        }
        return builder.build();
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

    public static StateProto.VolumeName name(VolumeKey key) {
        return StateProto.VolumeName.newBuilder()
                .setNamespace(key.namespace().value())
                .setVolumeId(key.volumeId().value())
                .build();
    }

    public static StateProto.Override override(OperatorOverride override) {
        return StateProto.Override.newBuilder()
                .setOperator(override.operator())
                .setReason(override.reason())
                .setAt(time(override.at()))
                .build();
    }

    public static StateProto.DeploymentId deploymentId(DeploymentId id) {
        return StateProto.DeploymentId.newBuilder()
                .setNamespace(id.namespace().value())
                .setName(id.name())
                .build();
    }

    public static <E extends Enum<E> & WireEnum> StateProto.Capabilities capabilities(CapabilitySet<E> set) {
        TreeSet<Integer> numbers = new TreeSet<>(set.unknownNumbers());
        set.known().forEach(capability -> numbers.add(capability.number()));
        return StateProto.Capabilities.newBuilder().addAllNumbers(numbers).build();
    }
}
