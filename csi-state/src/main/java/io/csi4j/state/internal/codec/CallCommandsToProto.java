package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandPartsToProto.attempt;
import static io.csi4j.state.internal.codec.CommandPartsToProto.key;
import static io.csi4j.state.internal.codec.PartsToProto.capacityRange;

import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;

/** Writes commands about planned calls. The format has a message of its own for each kind of target. */
final class CallCommandsToProto {
    private CallCommandsToProto() {}

    static Command.Builder command(CallCommand command) {
        return command instanceof CallCommand.RecordCallError failed
                ? failed.target().accept(new Failure(failed))
                : begin(command);
    }

    private static Command.Builder begin(CallCommand command) {
        if (command.target() instanceof CallTarget.OfModification target) {
            return Command.newBuilder()
                    .setBeginModificationCall(CommandProto.BeginModificationCall.newBuilder()
                            .setKey(key(command.key()))
                            .setRequestIndex(target.requestIndex()));
        }
        CallTarget.OfVolume target = (CallTarget.OfVolume) command.target();
        return Command.newBuilder()
                .setBeginCall(CommandProto.BeginCall.newBuilder()
                        .setKey(key(command.key()))
                        .setIfCreateIndex(target.createIndex())
                        .setPhase(target.phase().name()));
    }

    private static final class Failure implements CallTarget.Cases<Command.Builder> {
        private final CommandProto.VolumeKey key;
        private final CommandProto.Attempt attempt;

        Failure(CallCommand.RecordCallError failed) {
            this.key = key(failed.key());
            this.attempt = attempt(failed.attempt());
        }

        @Override
        public Command.Builder ofVolume(CallTarget.OfVolume target) {
            return Command.newBuilder()
                    .setRecordCallError(CommandProto.RecordCallError.newBuilder()
                            .setKey(key)
                            .setIfCreateIndex(target.createIndex())
                            .setPhase(target.phase().name())
                            .setAttempt(attempt));
        }

        @Override
        public Command.Builder ofExpansion(CallTarget.OfExpansion target) {
            return Command.newBuilder()
                    .setRecordExpansionError(CommandProto.RecordExpansionError.newBuilder()
                            .setKey(key)
                            .setRange(capacityRange(target.range()))
                            .setAttempt(attempt));
        }

        @Override
        public Command.Builder ofNodeExpansion(CallTarget.OfNodeExpansion target) {
            return Command.newBuilder()
                    .setRecordNodeExpansion(CommandProto.RecordNodeExpansion.newBuilder()
                            .setKey(key)
                            .setAllocationId(target.allocationId().value())
                            .setClaimIndex(target.claimIndex())
                            .setRange(capacityRange(target.range()))
                            .setAttempt(attempt));
        }

        @Override
        public Command.Builder ofModification(CallTarget.OfModification target) {
            return Command.newBuilder()
                    .setRecordModificationError(CommandProto.RecordModificationError.newBuilder()
                            .setKey(key)
                            .setRequestIndex(target.requestIndex())
                            .setAttempt(attempt));
        }

        @Override
        public Command.Builder ofAttachment(CallTarget.OfAttachment target) {
            return Command.newBuilder()
                    .setRecordAttachmentError(CommandProto.RecordAttachmentError.newBuilder()
                            .setKey(key)
                            .setNodeId(target.nodeId().value())
                            .setIfCreateIndex(target.createIndex())
                            .setAttempt(attempt));
        }

        @Override
        public Command.Builder ofClaim(CallTarget.OfClaim target) {
            return Command.newBuilder()
                    .setCheckpointClaim(CommandProto.CheckpointClaim.newBuilder()
                            .setKey(key)
                            .setAllocationId(target.allocationId().value())
                            .setIfTakenIndex(target.takenIndex())
                            .setState(ClaimState.UNPUBLISHING.name())
                            .setAttempt(attempt));
        }
    }
}
