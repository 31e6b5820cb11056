package io.csi4j.state.internal.codec;

import io.csi4j.core.call.Problem;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Holder;
import io.csi4j.proto.command.v1.CommandProto;
import java.util.List;

/** Writes the parts that commands and outcomes have in common. */
final class CommandPartsToProto {
    private CommandPartsToProto() {}

    static CommandProto.VolumeKey key(VolumeKey key) {
        return CommandProto.VolumeKey.newBuilder()
                .setNamespace(key.namespace().value())
                .setVolumeId(key.volumeId().value())
                .build();
    }

    static CommandProto.InstanceKey key(InstanceKey key) {
        CommandProto.InstanceKey.Builder builder = CommandProto.InstanceKey.newBuilder()
                .setNodeId(key.nodeId().value())
                .setPluginId(key.pluginId().value())
                .setType(key.type().name());
        key.allocationId().map(AllocationId::value).ifPresent(builder::setAllocationId);
        return builder.build();
    }

    static CommandProto.Attempt attempt(Attempt attempt) {
        CommandProto.Attempt.Builder builder = CommandProto.Attempt.newBuilder()
                .setError(attempt.error())
                .setAnsweredCall(attempt.answeredCall())
                .setNoRoomCall(attempt.noRoomCall());
        attempt.nextRetry().map(PartsToProto::time).ifPresent(builder::setNextRetry);
        return builder.build();
    }

    static List<CommandProto.Holder> holders(List<Holder> holders) {
        return holders.stream()
                .map(holder -> CommandProto.Holder.newBuilder()
                        .setAllocationId(holder.allocationId().value())
                        .setNodeId(holder.nodeId().value())
                        .setMode(holder.mode().name())
                        .setState(holder.state().name())
                        .build())
                .toList();
    }

    static List<String> nodes(List<NodeId> nodes) {
        return nodes.stream().map(NodeId::value).toList();
    }

    static List<CommandProto.Problem> problems(List<Problem> problems) {
        return problems.stream()
                .map(problem -> CommandProto.Problem.newBuilder()
                        .setField(problem.field())
                        .setProblem(problem.problem())
                        .setRemedy(problem.remedy())
                        .build())
                .toList();
    }
}
