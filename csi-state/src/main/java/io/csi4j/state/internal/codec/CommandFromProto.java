package io.csi4j.state.internal.codec;

import io.csi4j.core.command.Command;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.proto.command.v1.CommandProto;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Reads commands. Throws an {@link UnknownPartException} for a part that this version does not know, and another {@link
 * IllegalArgumentException} for an invalid value.
 */
public final class CommandFromProto {
    private final VolumeCommandsFromProto volumes;
    private final ChangeCommandsFromProto changes;
    private final ClaimCommandsFromProto claims;

    public CommandFromProto(@Nullable SecretsCipher cipher) {
        ConfidentialParts confidential = new ConfidentialParts(cipher);
        this.volumes = new VolumeCommandsFromProto(confidential);
        this.changes = new ChangeCommandsFromProto(confidential);
        this.claims = new ClaimCommandsFromProto(confidential);
    }

    public Command command(CommandProto.Command row) {
        if (!row.hasAt()) {
            throw new IllegalArgumentException("the time of the command is missing");
        }
        Instant at = PartsFromProto.time(row.getAt());
        return switch (row.getKindCase()) {
            case BATCH ->
                new Batch(
                        row.getBatch().getCommandsList().stream()
                                .map(this::command)
                                .toList(),
                        at);
            case REGISTER_VOLUME -> volumes.registerVolume(row.getRegisterVolume(), at);
            case UPDATE_VOLUME -> volumes.updateVolume(row.getUpdateVolume(), at);
            case RECORD_PROVIDER_FACTS -> volumes.recordProviderFacts(row.getRecordProviderFacts(), at);
            case SET_VOLUME_PHASE -> VolumeCommandsFromProto.setVolumePhase(row.getSetVolumePhase(), at);
            case DEREGISTER_VOLUME -> VolumeCommandsFromProto.deregisterVolume(row.getDeregisterVolume(), at);
            case BEGIN_CALL -> CallCommandsFromProto.beginCall(row.getBeginCall(), at);
            case RECORD_CALL_ERROR -> CallCommandsFromProto.recordCallError(row.getRecordCallError(), at);
            case MARK_FOR_GC -> VolumeCommandsFromProto.markForGc(row.getMarkForGc(), at);
            case FORGET_VOLUME -> VolumeCommandsFromProto.forgetVolume(row.getForgetVolume(), at);
            case WITHDRAW_CREATION -> VolumeCommandsFromProto.withdrawCreation(row.getWithdrawCreation(), at);
            case RECORD_LATE_ANSWER ->
                WithdrawnCreationCommandsFromProto.recordLateAnswer(row.getRecordLateAnswer(), at);
            case FORGET_WITHDRAWN_CREATION ->
                WithdrawnCreationCommandsFromProto.forgetWithdrawnCreation(row.getForgetWithdrawnCreation(), at);
            case RECORD_UNMOUNTED -> LeftoverCommandsFromProto.recordUnmounted(row.getRecordUnmounted(), at);
            case OVERRIDE_LEFTOVER -> LeftoverCommandsFromProto.overrideLeftover(row.getOverrideLeftover(), at);
            case BEGIN_EXPANSION -> ChangeCommandsFromProto.beginExpansion(row.getBeginExpansion(), at);
            case RECORD_EXPANDED -> ChangeCommandsFromProto.recordExpanded(row.getRecordExpanded(), at);
            case RECORD_EXPANSION_ERROR ->
                CallCommandsFromProto.recordExpansionError(row.getRecordExpansionError(), at);
            case WITHDRAW_EXPANSION -> ChangeCommandsFromProto.withdrawExpansion(row.getWithdrawExpansion(), at);
            case RECORD_NODE_EXPANSION -> CallCommandsFromProto.recordNodeExpansion(row.getRecordNodeExpansion(), at);
            case BEGIN_MODIFICATION -> changes.beginModification(row.getBeginModification(), at);
            case RECORD_MODIFIED -> changes.recordModified(row.getRecordModified(), at);
            case BEGIN_MODIFICATION_CALL ->
                CallCommandsFromProto.beginModificationCall(row.getBeginModificationCall(), at);
            case RECORD_MODIFICATION_ERROR ->
                CallCommandsFromProto.recordModificationError(row.getRecordModificationError(), at);
            case TAKE_CLAIMS -> claims.takeClaims(row.getTakeClaims(), at);
            case CHECKPOINT_CLAIM -> CallCommandsFromProto.checkpointClaim(row.getCheckpointClaim(), at);
            case FREE_CLAIM -> ClaimCommandsFromProto.freeClaim(row.getFreeClaim(), at);
            case OVERRIDE_CLAIM -> ClaimCommandsFromProto.overrideClaim(row.getOverrideClaim(), at);
            case ADOPT_USES -> ClaimCommandsFromProto.adoptUses(row.getAdoptUses(), at);
            case RECORD_PUBLISHED -> claims.recordPublished(row.getRecordPublished(), at);
            case RECORD_UNPUBLISHING -> ClaimCommandsFromProto.recordUnpublishing(row.getRecordUnpublishing(), at);
            case RECORD_ORPHAN -> ClaimCommandsFromProto.recordOrphan(row.getRecordOrphan(), at);
            case RECORD_ATTACHMENT_ERROR ->
                CallCommandsFromProto.recordAttachmentError(row.getRecordAttachmentError(), at);
            case REMOVE_ATTACHMENT -> ClaimCommandsFromProto.removeAttachment(row.getRemoveAttachment(), at);
            case OVERRIDE_ATTACHMENT -> ClaimCommandsFromProto.overrideAttachment(row.getOverrideAttachment(), at);
            case UPSERT_NODE -> ClusterCommandsFromProto.upsertNode(row.getUpsertNode(), at);
            case SET_NODE_STATUS -> ClusterCommandsFromProto.setNodeStatus(row.getSetNodeStatus(), at);
            case FENCE_NODE -> ClusterCommandsFromProto.fenceNode(row.getFenceNode(), at);
            case REMOVE_NODE -> ClusterCommandsFromProto.removeNode(row.getRemoveNode(), at);
            case RESOLVE_FORMER_MACHINE ->
                ClusterCommandsFromProto.resolveFormerMachine(row.getResolveFormerMachine(), at);
            case REQUIRE_LEDGERS -> ClusterCommandsFromProto.requireLedgers(row.getRequireLedgers(), at);
            case RECORD_LEDGER -> ClusterCommandsFromProto.recordLedger(row.getRecordLedger(), at);
            case UPSERT_ALLOCATION -> ClusterCommandsFromProto.upsertAllocation(row.getUpsertAllocation(), at);
            case REMOVE_ALLOCATION -> ClusterCommandsFromProto.removeAllocation(row.getRemoveAllocation(), at);
            case FINGERPRINT_NODE -> ClusterCommandsFromProto.fingerprintNode(row.getFingerprintNode(), at);
            case REMOVE_INSTANCE -> ClusterCommandsFromProto.removeInstance(row.getRemoveInstance(), at);
            case UPSERT_DEPLOYMENT -> ClusterCommandsFromProto.upsertDeployment(row.getUpsertDeployment(), at);
            case REMOVE_DEPLOYMENT -> ClusterCommandsFromProto.removeDeployment(row.getRemoveDeployment(), at);
            case DELETE_PLUGIN -> ClusterCommandsFromProto.deletePlugin(row.getDeletePlugin(), at);
            case SET_PROVIDER -> ClusterCommandsFromProto.setProvider(row.getSetProvider(), at);
            case KIND_NOT_SET -> throw new IllegalArgumentException("it names no command");
        };
    }
}
