package io.csi4j.node.internal.codec;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.proto.agent.v1.AgentProto;
import io.csi4j.proto.agent.v1.AgentProto.DetachCall;
import io.csi4j.proto.agent.v1.AgentProto.Detached;
import io.csi4j.proto.agent.v1.AgentProto.ExpandCall;
import io.csi4j.proto.agent.v1.AgentProto.LedgerUse;
import io.csi4j.proto.agent.v1.AgentProto.StorageQueryCall;
import io.csi4j.proto.agent.v1.AgentProto.VolumeUse;
import io.csi4j.proto.agent.v1.AgentProto.VolumeUses;
import io.csi4j.values.internal.Values;
import java.util.List;
import java.util.Optional;

/**
 * Converts the requests that a server sends to an agent, for example to unmount a volume, to protocol messages and
 * back. The read methods throw the same exceptions as those of {@link IdCodec}.
 */
public final class NodeRequestCodec {
    private NodeRequestCodec() {}

    public static VolumeUse use(NodeVolumeQuery query) {
        return IdCodec.write(query.volume(), query.pluginId(), query.externalVolumeId(), query.allocationId());
    }

    public static NodeVolumeQuery query(VolumeUse use) {
        return new NodeVolumeQuery(
                Values.key(use.getVolume()),
                PluginId.of(use.getPluginId()),
                ExternalVolumeId.of(use.getExternalVolumeId()),
                AllocationId.of(use.getAllocationId()));
    }

    public static DetachCall write(NodeDetach detach) {
        DetachCall.Builder call = DetachCall.newBuilder()
                .setUse(IdCodec.write(
                        detach.volume(), detach.pluginId(), detach.externalVolumeId(), detach.allocationId()))
                .setMode(IdCodec.write(detach.mode()))
                .setCapability(IdCodec.write(detach.capability()))
                .setMountOptions(Values.mountOptions(detach.mountOptions()));
        detach.externalNodeId().map(ExternalNodeId::value).ifPresent(call::setExternalNodeId);
        return call.build();
    }

    /** Reads a request to unmount a volume. The capability in the request is not read, because no unmount needs it. */
    public static NodeUnmount unmount(DetachCall call) {
        NodeVolumeQuery use = query(call.getUse());
        return new NodeUnmount(
                new NodeVolumeId(use.volume(), use.pluginId(), use.externalVolumeId()),
                use.allocationId(),
                machine(call));
    }

    public static NodeDetach read(DetachCall call) {
        NodeVolumeQuery use = query(call.getUse());
        return new NodeDetach(
                use.volume(),
                use.pluginId(),
                use.externalVolumeId(),
                use.allocationId(),
                machine(call),
                IdCodec.read(call.getMode(), call.getModeValue()),
                IdCodec.read(call.getCapability()),
                Values.mountOptions(call.getMountOptions()));
    }

    private static Optional<ExternalNodeId> machine(DetachCall call) {
        return call.hasExternalNodeId() ? Optional.of(ExternalNodeId.of(call.getExternalNodeId())) : Optional.empty();
    }

    public static Detached write(NodeDetached detached) {
        Detached.Builder answer = Detached.newBuilder();
        detached.otherUses()
                .ifPresent(others -> answer.setOthers(VolumeUses.newBuilder()
                        .addAllUses(others.stream().map(NodeRequestCodec::write).toList())));
        return answer.build();
    }

    public static NodeDetached read(Detached answer) {
        return answer.hasOthers()
                ? NodeDetached.withOthers(uses(answer.getOthers().getUsesList()))
                : NodeDetached.othersUnknown();
    }

    public static AgentProto.LedgerReport write(LedgerReport report) {
        AgentProto.LedgerReport.Builder message = AgentProto.LedgerReport.newBuilder()
                .addAllUses(report.uses().stream().map(NodeRequestCodec::write).toList())
                .addAllUnclear(report.unclear().stream().map(Values::key).toList());
        report.machines().map(Values::machines).ifPresent(message::setMachines);
        return message.build();
    }

    public static LedgerReport read(AgentProto.LedgerReport report) {
        return new LedgerReport(
                uses(report.getUsesList()),
                report.getUnclearList().stream().map(Values::key).toList(),
                report.hasMachines() ? Optional.of(Values.machines(report.getMachines())) : Optional.empty());
    }

    private static LedgerUse write(io.csi4j.core.volume.VolumeUse use) {
        return LedgerUse.newBuilder()
                .setUse(IdCodec.write(use.volume(), use.pluginId(), use.externalVolumeId(), use.allocationId()))
                .setMode(IdCodec.write(use.mode()))
                .setCapability(IdCodec.write(use.capability()))
                .setLeaving(use.leaving())
                .build();
    }

    private static List<io.csi4j.core.volume.VolumeUse> uses(List<LedgerUse> uses) {
        return uses.stream().map(NodeRequestCodec::read).toList();
    }

    private static io.csi4j.core.volume.VolumeUse read(LedgerUse reported) {
        NodeVolumeQuery use = query(reported.getUse());
        return new io.csi4j.core.volume.VolumeUse(
                use.volume(),
                use.pluginId(),
                use.externalVolumeId(),
                use.allocationId(),
                IdCodec.read(reported.getMode(), reported.getModeValue()),
                IdCodec.read(reported.getCapability()),
                reported.getLeaving());
    }

    public static ExpandCall write(NodeExpand expand) {
        return ExpandCall.newBuilder()
                .setUse(IdCodec.write(
                        expand.volume(), expand.pluginId(), expand.externalVolumeId(), expand.allocationId()))
                .setCapability(IdCodec.write(expand.capability()))
                .setMountOptions(Values.mountOptions(expand.mountOptions()))
                .setRequiredBytes(expand.capacityRange().requiredBytes())
                .setLimitBytes(expand.capacityRange().limitBytes())
                .putAllSecrets(expand.secrets().asMap())
                .build();
    }

    public static NodeExpand read(ExpandCall call) {
        NodeVolumeQuery use = query(call.getUse());
        return new NodeExpand(
                use.volume(),
                use.pluginId(),
                use.externalVolumeId(),
                use.allocationId(),
                IdCodec.read(call.getCapability()),
                Values.mountOptions(call.getMountOptions()),
                new CapacityRange(call.getRequiredBytes(), call.getLimitBytes()),
                Secrets.of(call.getSecretsMap()));
    }

    public static StorageQueryCall write(StorageHealthQuery query) {
        return StorageQueryCall.newBuilder()
                .setPluginId(query.pluginId().value())
                .putAllSecrets(query.secrets().asMap())
                .build();
    }

    public static StorageHealthQuery read(StorageQueryCall call) {
        return new StorageHealthQuery(PluginId.of(call.getPluginId()), Secrets.of(call.getSecretsMap()));
    }
}
