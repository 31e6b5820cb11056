package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandPartsFromProto.attempt;
import static io.csi4j.state.internal.codec.CommandPartsFromProto.key;
import static io.csi4j.state.internal.codec.PartsFromProto.capacityRange;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.proto.command.v1.CommandProto;
import java.time.Instant;

/** Reads commands about planned calls. Two messages of the format have a progress, or else a failure. */
final class CallCommandsFromProto {
    private CallCommandsFromProto() {}

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
        return PartsFromProto.name(VolumePhase.class, "phase", phase);
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
        ClaimState state = PartsFromProto.name(ClaimState.class, "state", row.getState());
        return row.hasAttempt() && state == ClaimState.UNPUBLISHING
                ? new CallCommand.RecordCallError(
                        key(row.getKey()),
                        new CallTarget.OfClaim(allocationId, row.getIfTakenIndex()),
                        attempt(true, row.getAttempt()),
                        at)
                : new ClaimCommand.CheckpointClaim(key(row.getKey()), allocationId, row.getIfTakenIndex(), state, at);
    }
}
