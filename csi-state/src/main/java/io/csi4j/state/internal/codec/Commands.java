package io.csi4j.state.internal.codec;

import io.csi4j.core.command.Command;
import io.csi4j.core.internal.command.AccessTokenCommand;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.PluginProfileCommand;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.SnapshotCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.values.internal.Values;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Commands. Their confidential values pass through the cipher. Reading throws an {@link UnknownPartException} for a part that this version does not know, and another {@link IllegalArgumentException} for an invalid value. */
public final class Commands {
    private final VolumeCommands volumes;
    private final ChangeCommands changes;
    private final ClaimCommands claims;
    private final ClusterCommands cluster = new ClusterCommands();
    private final LeftoverCommands leftovers = new LeftoverCommands();
    private final AccessTokens tokens = new AccessTokens();
    private final ClassParts classes;
    private final Quotas quotas = new Quotas();
    private final PluginProfiles profiles = new PluginProfiles();
    private final Owners owners = new Owners();
    private final Snapshots snapshots;

    public Commands(@Nullable SecretsCipher cipher) {
        ConfidentialParts confidential = new ConfidentialParts(cipher);
        this.volumes = new VolumeCommands(confidential);
        this.changes = new ChangeCommands(confidential);
        this.claims = new ClaimCommands(confidential);
        this.classes = new ClassParts(confidential);
        this.snapshots = new Snapshots(confidential);
    }

    public CommandProto.Command command(Command command) {
        return kind(command).setAt(Values.time(command.at())).build();
    }

    public Command command(CommandProto.Command row) {
        if (!row.hasAt()) {
            throw new IllegalArgumentException("the time of the command is missing");
        }
        Instant at = Values.time(row.getAt());
        return switch (row.getKindCase()) {
            case BATCH ->
                new Batch(
                        row.getBatch().getCommandsList().stream()
                                .map(this::command)
                                .toList(),
                        at);
            case REGISTER_VOLUME -> volumes.registerVolume(row.getRegisterVolume(), at);
            case RECORD_VERIFICATION -> CallCommands.recordVerification(row.getRecordVerification(), at);
            case DISCARD_UNUSED -> VolumeCommands.discardUnused(row.getDiscardUnused(), at);
            case CREATE_FROM_CLASS -> VolumeCommands.createFromClass(row.getCreateFromClass(), at);
            case UPDATE_VOLUME -> volumes.updateVolume(row.getUpdateVolume(), at);
            case RECORD_PROVIDER_FACTS -> volumes.recordProviderFacts(row.getRecordProviderFacts(), at);
            case SET_VOLUME_PHASE -> VolumeCommands.setVolumePhase(row.getSetVolumePhase(), at);
            case DEREGISTER_VOLUME -> VolumeCommands.deregisterVolume(row.getDeregisterVolume(), at);
            case BEGIN_CALL -> CallCommands.beginCall(row.getBeginCall(), at);
            case RECORD_CALL_ERROR -> CallCommands.recordCallError(row.getRecordCallError(), at);
            case MARK_FOR_GC -> VolumeCommands.markForGc(row.getMarkForGc(), at);
            case FORGET_VOLUME -> VolumeCommands.forgetVolume(row.getForgetVolume(), at);
            case WITHDRAW_CREATION -> VolumeCommands.withdrawCreation(row.getWithdrawCreation(), at);
            case RECORD_LATE_ANSWER -> LeftoverCommands.recordLateAnswer(row.getRecordLateAnswer(), at);
            case FORGET_WITHDRAWN_CREATION ->
                LeftoverCommands.forgetWithdrawnCreation(row.getForgetWithdrawnCreation(), at);
            case RECORD_UNMOUNTED -> LeftoverCommands.recordUnmounted(row.getRecordUnmounted(), at);
            case OVERRIDE_LEFTOVER -> LeftoverCommands.overrideLeftover(row.getOverrideLeftover(), at);
            case CREATE_ACCESS_TOKEN -> AccessTokens.createAccessToken(row.getCreateAccessToken(), at);
            case REVOKE_ACCESS_TOKEN -> AccessTokens.revokeAccessToken(row.getRevokeAccessToken(), at);
            case PUT_VOLUME_CLASS -> classes.putVolumeClass(row.getPutVolumeClass(), at);
            case REMOVE_VOLUME_CLASS -> ClassParts.removeVolumeClass(row.getRemoveVolumeClass(), at);
            case PUT_PLUGIN_PROFILE -> PluginProfiles.putPluginProfile(row.getPutPluginProfile(), at);
            case REMOVE_PLUGIN_PROFILE -> PluginProfiles.removePluginProfile(row.getRemovePluginProfile(), at);
            case CREATE_SNAPSHOT -> snapshots.createSnapshot(row.getCreateSnapshot(), at);
            case BEGIN_SNAPSHOT -> Snapshots.beginSnapshot(row.getBeginSnapshot(), at);
            case RECORD_SNAPSHOT -> Snapshots.recordSnapshot(row.getRecordSnapshot(), at);
            case RECORD_SNAPSHOT_ERROR -> Snapshots.recordSnapshotError(row.getRecordSnapshotError(), at);
            case DELETE_SNAPSHOT -> Snapshots.deleteSnapshot(row.getDeleteSnapshot(), at);
            case REMOVE_SNAPSHOT -> Snapshots.removeSnapshot(row.getRemoveSnapshot(), at);
            case FORGET_SNAPSHOT -> Snapshots.forgetSnapshot(row.getForgetSnapshot(), at);
            case PUT_QUOTA -> Quotas.putQuota(row.getPutQuota(), at);
            case END_OWNER -> Owners.endOwner(row.getEndOwner(), at);
            case SET_RECLAIM -> Owners.setReclaim(row.getSetReclaim(), at);
            case SET_OWNER -> Owners.setOwner(row.getSetOwner(), at);
            case REMOVE_QUOTA -> Quotas.removeQuota(row.getRemoveQuota(), at);
            case BEGIN_EXPANSION -> ChangeCommands.beginExpansion(row.getBeginExpansion(), at);
            case RECORD_EXPANDED -> ChangeCommands.recordExpanded(row.getRecordExpanded(), at);
            case RECORD_EXPANSION_ERROR -> CallCommands.recordExpansionError(row.getRecordExpansionError(), at);
            case WITHDRAW_EXPANSION -> ChangeCommands.withdrawExpansion(row.getWithdrawExpansion(), at);
            case RECORD_NODE_EXPANSION -> CallCommands.recordNodeExpansion(row.getRecordNodeExpansion(), at);
            case BEGIN_MODIFICATION -> changes.beginModification(row.getBeginModification(), at);
            case RECORD_MODIFIED -> changes.recordModified(row.getRecordModified(), at);
            case BEGIN_MODIFICATION_CALL -> CallCommands.beginModificationCall(row.getBeginModificationCall(), at);
            case RECORD_MODIFICATION_ERROR ->
                CallCommands.recordModificationError(row.getRecordModificationError(), at);
            case TAKE_CLAIMS -> claims.takeClaims(row.getTakeClaims(), at);
            case REQUEST_CLAIMS -> claims.requestClaims(row.getRequestClaims(), at);
            case WITHDRAW_CLAIMS -> ClaimCommands.withdrawClaims(row.getWithdrawClaims(), at);
            case REFUSE_CLAIMS -> ClaimCommands.refuseClaims(row.getRefuseClaims(), at);
            case CHECKPOINT_CLAIM -> CallCommands.checkpointClaim(row.getCheckpointClaim(), at);
            case FREE_CLAIM -> ClaimCommands.freeClaim(row.getFreeClaim(), at);
            case OVERRIDE_CLAIM -> ClaimCommands.overrideClaim(row.getOverrideClaim(), at);
            case ADOPT_USES -> ClaimCommands.adoptUses(row.getAdoptUses(), at);
            case RECORD_PUBLISHED -> claims.recordPublished(row.getRecordPublished(), at);
            case RECORD_UNPUBLISHING -> ClaimCommands.recordUnpublishing(row.getRecordUnpublishing(), at);
            case RECORD_ORPHAN -> ClaimCommands.recordOrphan(row.getRecordOrphan(), at);
            case RECORD_ATTACHMENT_ERROR -> CallCommands.recordAttachmentError(row.getRecordAttachmentError(), at);
            case REMOVE_ATTACHMENT -> ClaimCommands.removeAttachment(row.getRemoveAttachment(), at);
            case OVERRIDE_ATTACHMENT -> ClaimCommands.overrideAttachment(row.getOverrideAttachment(), at);
            case UPSERT_NODE -> ClusterCommands.upsertNode(row.getUpsertNode(), at);
            case SET_NODE_STATUS -> ClusterCommands.setNodeStatus(row.getSetNodeStatus(), at);
            case FENCE_NODE -> ClusterCommands.fenceNode(row.getFenceNode(), at);
            case REMOVE_NODE -> ClusterCommands.removeNode(row.getRemoveNode(), at);
            case RESOLVE_FORMER_MACHINE -> ClusterCommands.resolveFormerMachine(row.getResolveFormerMachine(), at);
            case LOSE_STORAGE -> ClusterCommands.loseStorage(row.getLoseStorage(), at);
            case REQUIRE_LEDGERS -> ClusterCommands.requireLedgers(row.getRequireLedgers(), at);
            case RECORD_LEDGER -> ClusterCommands.recordLedger(row.getRecordLedger(), at);
            case UPSERT_ALLOCATION -> ClusterCommands.upsertAllocation(row.getUpsertAllocation(), at);
            case REMOVE_ALLOCATION -> ClusterCommands.removeAllocation(row.getRemoveAllocation(), at);
            case FINGERPRINT_NODE -> ClusterCommands.fingerprintNode(row.getFingerprintNode(), at);
            case REMOVE_INSTANCE -> ClusterCommands.removeInstance(row.getRemoveInstance(), at);
            case UPSERT_DEPLOYMENT -> ClusterCommands.upsertDeployment(row.getUpsertDeployment(), at);
            case REMOVE_DEPLOYMENT -> ClusterCommands.removeDeployment(row.getRemoveDeployment(), at);
            case DELETE_PLUGIN -> ClusterCommands.deletePlugin(row.getDeletePlugin(), at);
            case SET_PROVIDER -> ClusterCommands.setProvider(row.getSetProvider(), at);
            case KIND_NOT_SET -> throw new IllegalArgumentException("it names no command");
        };
    }

    private CommandProto.Command.Builder kind(Command command) {
        if (command instanceof ClaimCommand claim) {
            return claim.accept(claims);
        } else if (command instanceof AttachmentCommand attachment) {
            return attachment.accept(claims);
        } else if (command instanceof AllocationCommand allocation) {
            return allocation.accept(cluster);
        } else if (command instanceof VolumeCommand volume) {
            return volume.accept(volumes);
        } else if (command instanceof CallCommand call) {
            return CallCommands.command(call);
        } else if (command instanceof ChangeCommand change) {
            return change.accept(changes);
        } else if (command instanceof PluginCommand plugin) {
            return plugin.accept(cluster);
        } else if (command instanceof NodeCommand node) {
            return node.accept(cluster);
        } else if (command instanceof LeftoverCommand leftover) {
            return leftover.accept(leftovers);
        } else if (command instanceof WithdrawnCreationCommand withdrawn) {
            return withdrawn.accept(leftovers);
        } else if (command instanceof AccessTokenCommand token) {
            return token.accept(tokens);
        } else if (command instanceof VolumeClassCommand volumeClass) {
            return volumeClass.accept(classes);
        } else if (command instanceof PluginProfileCommand profile) {
            return profile.accept(profiles);
        } else if (command instanceof QuotaCommand quota) {
            return quota.accept(quotas);
        } else if (command instanceof SnapshotCommand snapshot) {
            return snapshot.accept(snapshots);
        } else if (command instanceof OwnerCommand owner) {
            return owner.accept(owners);
        } else if (command instanceof Batch batch) {
            CommandProto.Batch.Builder row = CommandProto.Batch.newBuilder();
            batch.commands().forEach(one -> row.addCommands(command(one)));
            return CommandProto.Command.newBuilder().setBatch(row);
        }
        throw new IllegalStateException("no encoding for " + command.getClass().getName());
    }
}
