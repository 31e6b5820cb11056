package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandPartsFromProto.anyAttempt;
import static io.csi4j.state.internal.codec.CommandPartsFromProto.attempt;
import static io.csi4j.state.internal.codec.CommandPartsFromProto.key;
import static io.csi4j.state.internal.codec.PartsFromProto.capacityRange;

import io.csi4j.core.command.ChangeCommand;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
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

    static ChangeCommand recordExpansionError(CommandProto.RecordExpansionError row, Instant at) {
        return new ChangeCommand.RecordExpansionError(
                key(row.getKey()), capacityRange(row.getRange()), attempt(row.hasAttempt(), row.getAttempt()), at);
    }

    static ChangeCommand withdrawExpansion(CommandProto.WithdrawExpansion row, Instant at) {
        return new ChangeCommand.WithdrawExpansion(
                key(row.getKey()), row.getVolumeIndex(), capacityRange(row.getRange()), at);
    }

    static ChangeCommand recordNodeExpansion(CommandProto.RecordNodeExpansion row, Instant at) {
        return new ChangeCommand.RecordNodeExpansion(
                key(row.getKey()),
                AllocationId.of(row.getAllocationId()),
                row.getClaimIndex(),
                capacityRange(row.getRange()),
                row.getCapacityBytes(),
                anyAttempt(row.hasAttempt(), row.getAttempt()),
                at);
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

    static ChangeCommand beginModificationCall(CommandProto.BeginModificationCall row, Instant at) {
        return new ChangeCommand.BeginModificationCall(key(row.getKey()), row.getRequestIndex(), at);
    }

    static ChangeCommand recordModificationError(CommandProto.RecordModificationError row, Instant at) {
        return new ChangeCommand.RecordModificationError(
                key(row.getKey()), row.getRequestIndex(), attempt(row.hasAttempt(), row.getAttempt()), at);
    }
}
