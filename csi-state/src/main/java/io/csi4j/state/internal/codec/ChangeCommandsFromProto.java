package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandPartsFromProto.key;
import static io.csi4j.state.internal.codec.PartsFromProto.capacityRange;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.state.v1.StateProto;
import java.time.Instant;
import java.util.Map;

/** Reads commands for requested changes of volumes. */
final class ChangeCommandsFromProto {
    private final ConfidentialParts confidential;

    ChangeCommandsFromProto(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    static ChangeCommand beginExpansion(CommandProto.BeginExpansion row, Instant at) {
        return new ChangeCommand.BeginExpansion(key(row.getKey()), capacityRange(row.getRange()), at);
    }

    static ChangeCommand recordExpanded(CommandProto.RecordExpanded row, Instant at) {
        return new ChangeCommand.RecordExpanded(
                key(row.getKey()),
                row.getVolumeIndex(),
                capacityRange(row.getRange()),
                row.getCapacityBytes(),
                row.getNodesToo(),
                at);
    }

    static ChangeCommand withdrawExpansion(CommandProto.WithdrawExpansion row, Instant at) {
        return new ChangeCommand.WithdrawExpansion(
                key(row.getKey()), row.getVolumeIndex(), capacityRange(row.getRange()), at);
    }

    ChangeCommand beginModification(CommandProto.BeginModification row, Instant at) {
        VolumeKey key = key(row.getKey());
        return new ChangeCommand.BeginModification(
                key,
                changes(confidential.revealAny(
                        key, ConfidentialParts.BEGIN_MODIFICATION, row.hasConfidential(), row.getConfidential())),
                at);
    }

    ChangeCommand recordModified(CommandProto.RecordModified row, Instant at) {
        VolumeKey key = key(row.getKey());
        return new ChangeCommand.RecordModified(
                key,
                row.getVolumeIndex(),
                row.getRequestIndex(),
                changes(confidential.revealAny(
                        key, ConfidentialParts.RECORD_MODIFIED, row.hasConfidential(), row.getConfidential())),
                at);
    }

    private static Map<String, String> changes(StateProto.Confidential hidden) {
        return PartsFromProto.entries(hidden.getModification().getChangesList());
    }
}
