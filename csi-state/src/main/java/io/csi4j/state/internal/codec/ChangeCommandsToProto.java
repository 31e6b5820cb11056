package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandPartsToProto.key;
import static io.csi4j.state.internal.codec.PartsToProto.capacityRange;

import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;
import java.util.Map;

/** Writes commands for requested changes of volumes. */
final class ChangeCommandsToProto implements ChangeCommand.Cases<Command.Builder> {
    private final ConfidentialParts confidential;

    ChangeCommandsToProto(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    @Override
    public Command.Builder beginExpansion(ChangeCommand.BeginExpansion command) {
        return Command.newBuilder()
                .setBeginExpansion(CommandProto.BeginExpansion.newBuilder()
                        .setKey(key(command.key()))
                        .setRange(capacityRange(command.range())));
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

    @Override
    public Command.Builder withdrawExpansion(ChangeCommand.WithdrawExpansion command) {
        return Command.newBuilder()
                .setWithdrawExpansion(CommandProto.WithdrawExpansion.newBuilder()
                        .setKey(key(command.key()))
                        .setVolumeIndex(command.volumeIndex())
                        .setRange(capacityRange(command.range())));
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

    private static StateProto.Confidential.Builder changes(Map<String, String> changes) {
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
        if (!changes.isEmpty()) {
            values.setModification(StateProto.Modification.newBuilder().addAllChanges(PartsToProto.entries(changes)));
        }
        return values;
    }
}
