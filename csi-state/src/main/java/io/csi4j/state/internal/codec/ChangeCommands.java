package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.Parts.capacityRange;
import static io.csi4j.values.internal.Values.key;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
import java.time.Instant;
import java.util.Map;

/** The commands for requested changes of volumes. */
final class ChangeCommands implements ChangeCommand.Cases<Command.Builder> {
    private final ConfidentialParts confidential;

    ChangeCommands(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    @Override
    public Command.Builder beginExpansion(ChangeCommand.BeginExpansion command) {
        return Command.newBuilder()
                .setBeginExpansion(CommandProto.BeginExpansion.newBuilder()
                        .setKey(key(command.key()))
                        .setRange(capacityRange(command.range())));
    }

    static ChangeCommand beginExpansion(CommandProto.BeginExpansion row, Instant at) {
        return new ChangeCommand.BeginExpansion(key(row.getKey()), capacityRange(row.getRange()), at);
    }

    @Override
    public Command.Builder recordExpanded(ChangeCommand.RecordExpanded command) {
        return Command.newBuilder()
                .setRecordExpanded(CommandProto.RecordExpanded.newBuilder()
                        .setKey(key(command.key()))
                        .setVolumeIndex(command.volumeIndex())
                        .setRange(capacityRange(command.range()))
                        .setCapacityBytes(command.capacityBytes())
                        .setNodesToo(command.nodesToo()));
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

    @Override
    public Command.Builder withdrawExpansion(ChangeCommand.WithdrawExpansion command) {
        return Command.newBuilder()
                .setWithdrawExpansion(CommandProto.WithdrawExpansion.newBuilder()
                        .setKey(key(command.key()))
                        .setVolumeIndex(command.volumeIndex())
                        .setRange(capacityRange(command.range())));
    }

    static ChangeCommand withdrawExpansion(CommandProto.WithdrawExpansion row, Instant at) {
        return new ChangeCommand.WithdrawExpansion(
                key(row.getKey()), row.getVolumeIndex(), capacityRange(row.getRange()), at);
    }

    @Override
    public Command.Builder recordNodeExpansion(ChangeCommand.RecordNodeExpansion command) {
        CommandProto.RecordNodeExpansion.Builder row = CommandProto.RecordNodeExpansion.newBuilder()
                .setKey(key(command.key()))
                .setAllocationId(command.allocationId().value())
                .setClaimIndex(command.claimIndex())
                .setRange(capacityRange(command.range()))
                .setCapacityBytes(command.capacityBytes());
        return Command.newBuilder().setRecordNodeExpansion(row);
    }

    @Override
    public Command.Builder beginModification(ChangeCommand.BeginModification command) {
        CommandProto.BeginModification.Builder row =
                CommandProto.BeginModification.newBuilder().setKey(key(command.key()));
        confidential
                .hideAny(command.key(), ConfidentialParts.BEGIN_MODIFICATION, changes(command.changes()))
                .ifPresent(row::setConfidential);
        return Command.newBuilder().setBeginModification(row);
    }

    ChangeCommand beginModification(CommandProto.BeginModification row, Instant at) {
        VolumeKey key = key(row.getKey());
        return new ChangeCommand.BeginModification(
                key,
                changes(confidential.revealAny(
                        key, ConfidentialParts.BEGIN_MODIFICATION, row.hasConfidential(), row.getConfidential())),
                at);
    }

    @Override
    public Command.Builder recordModified(ChangeCommand.RecordModified command) {
        CommandProto.RecordModified.Builder row = CommandProto.RecordModified.newBuilder()
                .setKey(key(command.key()))
                .setVolumeIndex(command.volumeIndex())
                .setRequestIndex(command.requestIndex());
        confidential
                .hideAny(command.key(), ConfidentialParts.RECORD_MODIFIED, changes(command.changes()))
                .ifPresent(row::setConfidential);
        return Command.newBuilder().setRecordModified(row);
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

    private static StateProto.Confidential.Builder changes(Map<String, String> changes) {
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
        if (!changes.isEmpty()) {
            values.setModification(StateProto.Modification.newBuilder().addAllChanges(Values.entries(changes)));
        }
        return values;
    }

    private static Map<String, String> changes(StateProto.Confidential hidden) {
        return Values.entries(hidden.getModification().getChangesList());
    }
}
