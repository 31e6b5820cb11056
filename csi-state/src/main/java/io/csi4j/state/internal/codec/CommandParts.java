package io.csi4j.state.internal.codec;

import io.csi4j.core.call.Problem;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.values.internal.Values;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The parts that commands and outcomes have in common. */
final class CommandParts {
    private CommandParts() {}

    static InstanceKey key(CommandProto.InstanceKey key) {
        return new InstanceKey(
                NodeId.of(key.getNodeId()),
                PluginId.of(key.getPluginId()),
                Parts.name(PluginType.class, "type", key.getType()),
                key.hasAllocationId() ? Optional.of(AllocationId.of(key.getAllocationId())) : Optional.empty());
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
        attempt.nextRetry().map(Values::time).ifPresent(builder::setNextRetry);
        return builder.build();
    }

    static Attempt attempt(boolean present, CommandProto.Attempt attempt) {
        if (!present) {
            throw new IllegalArgumentException("attempt is missing");
        }
        return new Attempt(
                attempt.getError(),
                attempt.hasNextRetry() ? Optional.of(Values.time(attempt.getNextRetry())) : Optional.empty(),
                attempt.getAnsweredCall(),
                attempt.getNoRoomCall());
    }

    static List<CommandProto.Holder> holders(Collection<Holder> holders) {
        return holders.stream()
                .map(holder -> CommandProto.Holder.newBuilder()
                        .setAllocationId(holder.allocationId().value())
                        .setNodeId(holder.nodeId().value())
                        .setMode(holder.mode().name())
                        .setState(holder.state().name())
                        .build())
                .toList();
    }

    static List<Holder> holders(List<CommandProto.Holder> holders) {
        return holders.stream()
                .map(holder -> new Holder(
                        AllocationId.of(holder.getAllocationId()),
                        NodeId.of(holder.getNodeId()),
                        Parts.name(ClaimMode.class, "mode", holder.getMode()),
                        Parts.name(ClaimState.class, "state", holder.getState())))
                .toList();
    }

    static List<String> nodes(Collection<NodeId> nodes) {
        return nodes.stream().map(NodeId::value).toList();
    }

    static List<NodeId> nodes(List<String> ids) {
        return ids.stream().map(NodeId::of).toList();
    }

    static List<CommandProto.Problem> problems(Collection<Problem> problems) {
        return problems.stream()
                .map(problem -> CommandProto.Problem.newBuilder()
                        .setField(problem.field())
                        .setProblem(problem.problem())
                        .setRemedy(problem.remedy())
                        .build())
                .toList();
    }

    static List<Problem> problems(List<CommandProto.Problem> problems) {
        return problems.stream()
                .map(problem -> new Problem(problem.getField(), problem.getProblem(), problem.getRemedy()))
                .toList();
    }

    static VolumePhase phase(String field, String name) {
        return Parts.name(VolumePhase.class, field, name);
    }
}
