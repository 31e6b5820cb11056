package io.csi4j.state.internal.codec;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.internal.command.SnapshotCommand;
import io.csi4j.core.snapshot.SnapshotContent;
import io.csi4j.core.snapshot.SnapshotPhase;
import io.csi4j.core.snapshot.SnapshotSpec;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.Retry;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** The snapshots of volumes, and the commands about them. The parameters of a snapshot are confidential. */
final class Snapshots implements SnapshotCommand.Cases<Command.Builder> {
    private final ConfidentialParts confidential;

    Snapshots(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    /**
     * Writes a snapshot.
     *
     * @param field the place of the snapshot, to which its encrypted parameters are bound
     */
    StateProto.VolumeSnapshot snapshot(VolumeSnapshot snapshot, String field) {
        StateProto.VolumeSnapshot.Builder row = StateProto.VolumeSnapshot.newBuilder()
                .setKey(key(snapshot.key()))
                .setSpec(spec(snapshot.key(), snapshot.spec(), field))
                .setPhase(snapshot.phase().name())
                .setDeletionRequested(snapshot.deletionRequested())
                .setCreateIndex(snapshot.createIndex())
                .setModifyIndex(snapshot.modifyIndex())
                .setCreatedAt(Values.time(snapshot.createdAt()));
        snapshot.provided().map(Snapshots::provided).ifPresent(row::setProvided);
        if (!snapshot.content().equals(SnapshotContent.UNKNOWN)) {
            row.setContent(content(snapshot.content()));
        }
        if (!snapshot.retry().equals(Retry.none())) {
            row.setRetry(Parts.retry(snapshot.retry()));
        }
        return row.build();
    }

    VolumeSnapshot snapshot(StateProto.VolumeSnapshot row, String field) {
        SnapshotKey key = key(row.getKey());
        return new VolumeSnapshot(
                key,
                spec(key, row.getSpec(), field),
                Parts.name(SnapshotPhase.class, "phase", row.getPhase()),
                row.getDeletionRequested(),
                row.hasProvided() ? Optional.of(provided(row.getProvided())) : Optional.empty(),
                content(row.getContent()),
                row.hasRetry() ? Parts.retry(row.getRetry()) : Retry.none(),
                row.getCreateIndex(),
                row.getModifyIndex(),
                Values.time(row.getCreatedAt()));
    }

    private static StateProto.SnapshotContent content(SnapshotContent content) {
        StateProto.SnapshotContent.Builder row =
                StateProto.SnapshotContent.newBuilder().setCapacityBytes(content.capacityBytes());
        content.attachmentModes().forEach(mode -> row.addAttachmentModes(mode.name()));
        return row.build();
    }

    private static SnapshotContent content(StateProto.SnapshotContent row) {
        Set<AttachmentMode> modes = EnumSet.noneOf(AttachmentMode.class);
        row.getAttachmentModesList()
                .forEach(name -> modes.add(Parts.name(AttachmentMode.class, "attachment_modes", name)));
        return new SnapshotContent(row.getCapacityBytes(), modes);
    }

    static StateProto.SnapshotKey key(SnapshotKey key) {
        return StateProto.SnapshotKey.newBuilder()
                .setNamespace(key.namespace().value())
                .setName(key.name().value())
                .build();
    }

    static SnapshotKey key(StateProto.SnapshotKey row) {
        return SnapshotKey.of(row.getNamespace(), row.getName());
    }

    private StateProto.SnapshotSpec spec(SnapshotKey key, SnapshotSpec spec, String field) {
        StateProto.SnapshotSpec.Builder row = StateProto.SnapshotSpec.newBuilder()
                .setSource(Values.key(spec.source()))
                .setSourceIndex(spec.sourceIndex())
                .setPluginId(spec.pluginId().value())
                .setSourceVolumeId(spec.sourceVolumeId().value())
                .setProviderName(spec.providerName());
        StateProto.Confidential.Builder hidden = StateProto.Confidential.newBuilder();
        if (!spec.parameters().isEmpty()) {
            hidden.setSpec(StateProto.VolumeSpec.newBuilder().addAllParameters(Values.entries(spec.parameters())));
        }
        confidential.hideAny(key, field, hidden).ifPresent(row::setConfidential);
        return row.build();
    }

    private SnapshotSpec spec(SnapshotKey key, StateProto.SnapshotSpec row, String field) {
        StateProto.Confidential hidden =
                confidential.revealAny(key, field, row.hasConfidential(), row.getConfidential());
        return new SnapshotSpec(
                Values.key(row.getSource()),
                row.getSourceIndex(),
                PluginId.of(row.getPluginId()),
                ExternalVolumeId.of(row.getSourceVolumeId()),
                row.getProviderName(),
                Values.entries(hidden.getSpec().getParametersList()));
    }

    private static StateProto.ProvidedSnapshot provided(Snapshot snapshot) {
        StateProto.ProvidedSnapshot.Builder row = StateProto.ProvidedSnapshot.newBuilder()
                .setSnapshotId(snapshot.snapshotId().value())
                .setSourceVolumeId(snapshot.sourceVolumeId().value())
                .setSizeBytes(snapshot.sizeBytes())
                .setReadyToUse(snapshot.readyToUse());
        snapshot.creationTime().map(Values::time).ifPresent(row::setCreationTime);
        snapshot.groupSnapshotId().map(GroupSnapshotId::value).ifPresent(row::setGroupSnapshotId);
        snapshot.accessibleTopology().forEach(topology -> row.addAccessibleTopology(Values.topology(topology)));
        return row.build();
    }

    private static Snapshot provided(StateProto.ProvidedSnapshot row) {
        return new Snapshot(
                SnapshotId.of(row.getSnapshotId()),
                ExternalVolumeId.of(row.getSourceVolumeId()),
                row.getSizeBytes(),
                row.hasCreationTime() ? Optional.of(Values.time(row.getCreationTime())) : Optional.empty(),
                row.getReadyToUse(),
                row.hasGroupSnapshotId() ? Optional.of(GroupSnapshotId.of(row.getGroupSnapshotId())) : Optional.empty(),
                Parts.topologies(row.getAccessibleTopologyList()));
    }

    @Override
    public Command.Builder createSnapshot(SnapshotCommand.CreateSnapshot command) {
        return Command.newBuilder()
                .setCreateSnapshot(CommandProto.CreateSnapshot.newBuilder()
                        .setKey(key(command.key()))
                        .setSpec(spec(command.key(), command.spec(), ConfidentialParts.CREATE_SNAPSHOT)));
    }

    SnapshotCommand createSnapshot(CommandProto.CreateSnapshot row, Instant at) {
        SnapshotKey key = key(row.getKey());
        return new SnapshotCommand.CreateSnapshot(key, spec(key, row.getSpec(), ConfidentialParts.CREATE_SNAPSHOT), at);
    }

    @Override
    public Command.Builder beginSnapshot(SnapshotCommand.BeginSnapshot command) {
        return Command.newBuilder()
                .setBeginSnapshot(CommandProto.BeginSnapshot.newBuilder()
                        .setKey(key(command.key()))
                        .setCreateIndex(command.createIndex()));
    }

    static SnapshotCommand beginSnapshot(CommandProto.BeginSnapshot row, Instant at) {
        return new SnapshotCommand.BeginSnapshot(key(row.getKey()), row.getCreateIndex(), at);
    }

    @Override
    public Command.Builder recordSnapshot(SnapshotCommand.RecordSnapshot command) {
        return Command.newBuilder()
                .setRecordSnapshot(CommandProto.RecordSnapshot.newBuilder()
                        .setKey(key(command.key()))
                        .setCreateIndex(command.createIndex())
                        .setProvided(provided(command.provided())));
    }

    static SnapshotCommand recordSnapshot(CommandProto.RecordSnapshot row, Instant at) {
        return new SnapshotCommand.RecordSnapshot(
                key(row.getKey()), row.getCreateIndex(), provided(row.getProvided()), at);
    }

    @Override
    public Command.Builder recordSnapshotError(SnapshotCommand.RecordSnapshotError command) {
        return Command.newBuilder()
                .setRecordSnapshotError(CommandProto.RecordSnapshotError.newBuilder()
                        .setKey(key(command.key()))
                        .setCreateIndex(command.createIndex())
                        .setDeletion(command.deletion())
                        .setAttempt(CommandParts.attempt(command.attempt())));
    }

    static SnapshotCommand recordSnapshotError(CommandProto.RecordSnapshotError row, Instant at) {
        return new SnapshotCommand.RecordSnapshotError(
                key(row.getKey()),
                row.getCreateIndex(),
                row.getDeletion(),
                CommandParts.attempt(row.hasAttempt(), row.getAttempt()),
                at);
    }

    @Override
    public Command.Builder deleteSnapshot(SnapshotCommand.DeleteSnapshot command) {
        return Command.newBuilder()
                .setDeleteSnapshot(CommandProto.DeleteSnapshot.newBuilder()
                        .setKey(key(command.key()))
                        .setIfCreateIndex(command.ifCreateIndex()));
    }

    static SnapshotCommand deleteSnapshot(CommandProto.DeleteSnapshot row, Instant at) {
        return new SnapshotCommand.DeleteSnapshot(key(row.getKey()), row.getIfCreateIndex(), at);
    }

    @Override
    public Command.Builder removeSnapshot(SnapshotCommand.RemoveSnapshot command) {
        return Command.newBuilder()
                .setRemoveSnapshot(CommandProto.RemoveSnapshot.newBuilder()
                        .setKey(key(command.key()))
                        .setCreateIndex(command.createIndex()));
    }

    static SnapshotCommand removeSnapshot(CommandProto.RemoveSnapshot row, Instant at) {
        return new SnapshotCommand.RemoveSnapshot(key(row.getKey()), row.getCreateIndex(), at);
    }

    @Override
    public Command.Builder forgetSnapshot(SnapshotCommand.ForgetSnapshot command) {
        return Command.newBuilder()
                .setForgetSnapshot(CommandProto.ForgetSnapshot.newBuilder()
                        .setKey(key(command.key()))
                        .setCreateIndex(command.createIndex())
                        .setOperator(command.forgotten().operator())
                        .setReason(command.forgotten().reason()));
    }

    static SnapshotCommand forgetSnapshot(CommandProto.ForgetSnapshot row, Instant at) {
        return new SnapshotCommand.ForgetSnapshot(
                key(row.getKey()), row.getCreateIndex(), new OperatorOverride(row.getOperator(), row.getReason(), at));
    }
}
