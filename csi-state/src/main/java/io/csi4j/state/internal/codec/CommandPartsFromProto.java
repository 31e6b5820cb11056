package io.csi4j.state.internal.codec;

import io.csi4j.core.call.Problem;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.proto.command.v1.CommandProto;
import java.util.List;
import java.util.Optional;

/** Reads the parts that commands and outcomes have in common. */
final class CommandPartsFromProto {
    private CommandPartsFromProto() {}

    static VolumeKey key(CommandProto.VolumeKey key) {
        return VolumeKey.of(key.getNamespace(), key.getVolumeId());
    }

    static InstanceKey key(CommandProto.InstanceKey key) {
        return new InstanceKey(
                NodeId.of(key.getNodeId()),
                PluginId.of(key.getPluginId()),
                PartsFromProto.name(PluginType.class, "type", key.getType()),
                key.hasAllocationId() ? Optional.of(AllocationId.of(key.getAllocationId())) : Optional.empty());
    }

    static Attempt attempt(boolean present, CommandProto.Attempt attempt) {
        if (!present) {
            throw new IllegalArgumentException("attempt is missing");
        }
        return new Attempt(
                attempt.getError(),
                attempt.hasNextRetry() ? Optional.of(PartsFromProto.time(attempt.getNextRetry())) : Optional.empty(),
                attempt.getAnsweredCall(),
                attempt.getNoRoomCall());
    }

    static VolumePhase phase(String field, String name) {
        return PartsFromProto.name(VolumePhase.class, field, name);
    }

    static List<Holder> holders(List<CommandProto.Holder> holders) {
        return holders.stream()
                .map(holder -> new Holder(
                        AllocationId.of(holder.getAllocationId()),
                        NodeId.of(holder.getNodeId()),
                        PartsFromProto.name(ClaimMode.class, "mode", holder.getMode()),
                        PartsFromProto.name(ClaimState.class, "state", holder.getState())))
                .toList();
    }

    static List<NodeId> nodes(List<String> ids) {
        return ids.stream().map(NodeId::of).toList();
    }

    static List<Problem> problems(List<CommandProto.Problem> problems) {
        return problems.stream()
                .map(problem -> new Problem(problem.getField(), problem.getProblem(), problem.getRemedy()))
                .toList();
    }
}
