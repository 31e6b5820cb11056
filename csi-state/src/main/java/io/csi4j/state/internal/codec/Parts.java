package io.csi4j.state.internal.codec;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.UnresolvedCall;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.proto.values.v1.ValuesProto;
import io.csi4j.values.internal.Values;
import java.time.Duration;
import java.util.List;

/** The values that several kinds of rows of the state contain, besides those of {@link Values}. A value that cannot be read gives an {@link IllegalArgumentException} that names the field. */
public final class Parts {
    private Parts() {}

    public static StateProto.TopologyRequirement requirement(TopologyRequirement requirement) {
        StateProto.TopologyRequirement.Builder builder = StateProto.TopologyRequirement.newBuilder();
        requirement.requisite().forEach(topology -> builder.addRequisite(Values.topology(topology)));
        requirement.preferred().forEach(topology -> builder.addPreferred(Values.topology(topology)));
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
        for (VolumeAccessMode mode : VolumeAccessMode.values()) {
            if (mode.number() == capability.getAccessMode()) {
                return new RequestedCapability(
                        mode, name(AttachmentMode.class, "attachment_mode", capability.getAttachmentMode()));
            }
        }
        throw new UnknownPartException("access_mode is " + capability.getAccessMode(), null);
    }

    /** Writes the options without the mount flags, which are confidential. */
    public static ValuesProto.MountOptions mountOptions(MountOptions options) {
        return Values.mountOptions(options.withoutFlags());
    }

    public static ValuesProto.MountOptions mountFlags(MountOptions options) {
        return ValuesProto.MountOptions.newBuilder()
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
        retry.nextRetry().ifPresent(at -> builder.setNextRetry(Values.time(at)));
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
                        retry.hasNextRetry() ? Values.time(retry.getNextRetry()) : null)
                .unresolved(
                        retry.hasUnresolved()
                                ? new UnresolvedCall(
                                        retry.getUnresolved().getIndex(),
                                        retry.getUnresolved().getEarlier(),
                                        retry.getUnresolved().getUnclear(),
                                        retry.getUnresolved().getNoRoom())
                                : null);
    }

    public static StateProto.Override override(OperatorOverride override) {
        return StateProto.Override.newBuilder()
                .setOperator(override.operator())
                .setReason(override.reason())
                .setAt(Values.time(override.at()))
                .build();
    }

    public static OperatorOverride override(StateProto.Override override) {
        return new OperatorOverride(override.getOperator(), override.getReason(), Values.time(override.getAt()));
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

    public static <E extends Enum<E>> E name(Class<E> type, String field, String name) {
        try {
            return Enum.valueOf(type, name);
        } catch (IllegalArgumentException e) {
            throw new UnknownPartException(field + " is \"" + name + "\"", e);
        }
    }

    public static List<Topology> topologies(List<ValuesProto.Topology> list) {
        return list.stream().map(Values::topology).toList();
    }
}
