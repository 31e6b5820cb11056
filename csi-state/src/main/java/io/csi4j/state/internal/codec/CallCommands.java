package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandParts.attempt;
import static io.csi4j.state.internal.codec.Parts.capacityRange;
import static io.csi4j.values.internal.Values.key;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.values.v1.ValuesProto;
import java.time.Instant;

/** The commands about planned calls. The format has a message of its own for each kind of target; two messages have a progress, or else a failure. */
final class CallCommands {
    private CallCommands() {}

    static CommandProto.Command.Builder command(CallCommand command) {
        return command instanceof CallCommand.RecordCallError failed
                ? failed.target().accept(new Failure(failed))
                : begin(command);
    }

    private static CommandProto.Command.Builder begin(CallCommand command) {
        if (command.target() instanceof CallTarget.OfModification target) {
            return CommandProto.Command.newBuilder()
                    .setBeginModificationCall(CommandProto.BeginModificationCall.newBuilder()
                            .setKey(key(command.key()))
                            .setRequestIndex(target.requestIndex()));
        }
        CallTarget.OfVolume target = (CallTarget.OfVolume) command.target();
        return CommandProto.Command.newBuilder()
                .setBeginCall(CommandProto.BeginCall.newBuilder()
                        .setKey(key(command.key()))
                        .setIfCreateIndex(target.createIndex())
                        .setPhase(target.phase().name()));
    }

    static Command beginCall(CommandProto.BeginCall row, Instant at) {
        return new CallCommand.BeginCall(
                key(row.getKey()), new CallTarget.OfVolume(row.getIfCreateIndex(), phase(row.getPhase())), at);
    }

    static Command recordCallError(CommandProto.RecordCallError row, Instant at) {
        return new CallCommand.RecordCallError(
                key(row.getKey()),
                new CallTarget.OfVolume(row.getIfCreateIndex(), phase(row.getPhase())),
                attempt(row.hasAttempt(), row.getAttempt()),
                at);
    }

    private static VolumePhase phase(String phase) {
        return Parts.name(VolumePhase.class, "phase", phase);
    }

    static Command recordExpansionError(CommandProto.RecordExpansionError row, Instant at) {
        return new CallCommand.RecordCallError(
                key(row.getKey()),
                new CallTarget.OfExpansion(capacityRange(row.getRange())),
                attempt(row.hasAttempt(), row.getAttempt()),
                at);
    }

    static Command recordNodeExpansion(CommandProto.RecordNodeExpansion row, Instant at) {
        AllocationId allocationId = AllocationId.of(row.getAllocationId());
        if (row.hasAttempt()) {
            return new CallCommand.RecordCallError(
                    key(row.getKey()),
                    new CallTarget.OfNodeExpansion(allocationId, row.getClaimIndex(), capacityRange(row.getRange())),
                    attempt(true, row.getAttempt()),
                    at);
        }
        return new ChangeCommand.RecordNodeExpansion(
                key(row.getKey()),
                allocationId,
                row.getClaimIndex(),
                capacityRange(row.getRange()),
                row.getCapacityBytes(),
                at);
    }

    static Command beginModificationCall(CommandProto.BeginModificationCall row, Instant at) {
        return new CallCommand.BeginCall(key(row.getKey()), new CallTarget.OfModification(row.getRequestIndex()), at);
    }

    static Command recordModificationError(CommandProto.RecordModificationError row, Instant at) {
        return new CallCommand.RecordCallError(
                key(row.getKey()),
                new CallTarget.OfModification(row.getRequestIndex()),
                attempt(row.hasAttempt(), row.getAttempt()),
                at);
    }

    static Command recordAttachmentError(CommandProto.RecordAttachmentError row, Instant at) {
        return new CallCommand.RecordCallError(
                key(row.getKey()),
                new CallTarget.OfAttachment(NodeId.of(row.getNodeId()), row.getIfCreateIndex()),
                attempt(row.hasAttempt(), row.getAttempt()),
                at);
    }

    /** Reads the progress of a release. A failed attempt was written for claims that the node unmounts, only. */
    static Command checkpointClaim(CommandProto.CheckpointClaim row, Instant at) {
        AllocationId allocationId = AllocationId.of(row.getAllocationId());
        ClaimState state = Parts.name(ClaimState.class, "state", row.getState());
        return row.hasAttempt() && state == ClaimState.UNPUBLISHING
                ? new CallCommand.RecordCallError(
                        key(row.getKey()),
                        new CallTarget.OfClaim(allocationId, row.getIfTakenIndex()),
                        attempt(true, row.getAttempt()),
                        at)
                : new ClaimCommand.CheckpointClaim(key(row.getKey()), allocationId, row.getIfTakenIndex(), state, at);
    }

    static Command recordVerification(CommandProto.RecordVerification row, Instant at) {
        return row.hasAttempt()
                ? new CallCommand.RecordCallError(
                        key(row.getKey()),
                        new CallTarget.OfVerification(
                                row.getIfCreateIndex(), row.getRestoredIndex(), row.getNotFound()),
                        attempt(true, row.getAttempt()),
                        at)
                : new VolumeCommand.RecordVerified(
                        key(row.getKey()), row.getIfCreateIndex(), row.getRestoredIndex(), at);
    }

    private static final class Failure implements CallTarget.Cases<CommandProto.Command.Builder> {
        private final ValuesProto.VolumeName key;
        private final CommandProto.Attempt attempt;

        Failure(CallCommand.RecordCallError failed) {
            this.key = key(failed.key());
            this.attempt = attempt(failed.attempt());
        }

        @Override
        public CommandProto.Command.Builder ofVolume(CallTarget.OfVolume target) {
            return CommandProto.Command.newBuilder()
                    .setRecordCallError(CommandProto.RecordCallError.newBuilder()
                            .setKey(key)
                            .setIfCreateIndex(target.createIndex())
                            .setPhase(target.phase().name())
                            .setAttempt(attempt));
        }

        @Override
        public CommandProto.Command.Builder ofExpansion(CallTarget.OfExpansion target) {
            return CommandProto.Command.newBuilder()
                    .setRecordExpansionError(CommandProto.RecordExpansionError.newBuilder()
                            .setKey(key)
                            .setRange(capacityRange(target.range()))
                            .setAttempt(attempt));
        }

        @Override
        public CommandProto.Command.Builder ofNodeExpansion(CallTarget.OfNodeExpansion target) {
            return CommandProto.Command.newBuilder()
                    .setRecordNodeExpansion(CommandProto.RecordNodeExpansion.newBuilder()
                            .setKey(key)
                            .setAllocationId(target.allocationId().value())
                            .setClaimIndex(target.claimIndex())
                            .setRange(capacityRange(target.range()))
                            .setAttempt(attempt));
        }

        @Override
        public CommandProto.Command.Builder ofModification(CallTarget.OfModification target) {
            return CommandProto.Command.newBuilder()
                    .setRecordModificationError(CommandProto.RecordModificationError.newBuilder()
                            .setKey(key)
                            .setRequestIndex(target.requestIndex())
                            .setAttempt(attempt));
        }

        @Override
        public CommandProto.Command.Builder ofVerification(CallTarget.OfVerification target) {
            return CommandProto.Command.newBuilder()
                    .setRecordVerification(CommandProto.RecordVerification.newBuilder()
                            .setKey(key)
                            .setIfCreateIndex(target.createIndex())
                            .setRestoredIndex(target.restoredIndex())
                            .setNotFound(target.notFound())
                            .setAttempt(attempt));
        }

        @Override
        public CommandProto.Command.Builder ofAttachment(CallTarget.OfAttachment target) {
            return CommandProto.Command.newBuilder()
                    .setRecordAttachmentError(CommandProto.RecordAttachmentError.newBuilder()
                            .setKey(key)
                            .setNodeId(target.nodeId().value())
                            .setIfCreateIndex(target.createIndex())
                            .setAttempt(attempt));
        }

        @Override
        public CommandProto.Command.Builder ofClaim(CallTarget.OfClaim target) {
            return CommandProto.Command.newBuilder()
                    .setCheckpointClaim(CommandProto.CheckpointClaim.newBuilder()
                            .setKey(key)
                            .setAllocationId(target.allocationId().value())
                            .setIfTakenIndex(target.takenIndex())
                            .setState(ClaimState.UNPUBLISHING.name())
                            .setAttempt(attempt));
        }
    }
}
