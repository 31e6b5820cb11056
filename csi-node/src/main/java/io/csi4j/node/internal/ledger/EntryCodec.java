package io.csi4j.node.internal.ledger;

import io.csi4j.client.internal.file.UnusableFileException;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.proto.file.v1.FileProto;
import io.csi4j.values.internal.Values;
import java.util.List;
import java.util.Optional;

/** Converts the record of a volume to the message in its file and back; each method that writes is followed by the one that reads. A
 * record has no secrets. */
public final class EntryCodec {
    private EntryCodec() {}

    public static FileProto.VolumeRecord encode(VolumeEntry entry) {
        FileProto.VolumeRecord.Builder record = FileProto.VolumeRecord.newBuilder()
                .setNamespace(entry.key().namespace().value())
                .setVolumeId(entry.key().volumeId().value())
                .setRebuilt(entry.rebuilt())
                .setUncertainSinceMillis(entry.uncertainSince());
        NodeVolumeId id = entry.id();
        if (id != null) {
            record.setPluginId(id.pluginId().value())
                    .setExternalVolumeId(id.externalVolumeId().value());
        }
        StagingEntry staging = entry.staging();
        if (staging != null) {
            record.setStaging(staging(staging));
        }
        UnmountOrder forget = entry.forgetOrder();
        if (forget != null) {
            record.setForgetOrder(order(forget));
        }
        entry.uses().forEach(use -> record.addUsers(use(use)));
        if (entry.groupDelivery() != GroupDelivery.UNDECIDED) {
            record.setGroupDelivery(entry.groupDelivery().name());
        }
        if (entry.labelDelivery() != LabelDelivery.UNDECIDED) {
            record.setLabelDelivery(entry.labelDelivery().name());
        }
        return record.build();
    }

    public static VolumeEntry decode(FileProto.VolumeRecord record) throws UnusableFileException {
        try {
            VolumeKey key = VolumeKey.of(record.getNamespace(), record.getVolumeId());
            NodeVolumeId id = record.hasPluginId()
                    ? new NodeVolumeId(
                            key, PluginId.of(record.getPluginId()), ExternalVolumeId.of(record.getExternalVolumeId()))
                    : null;
            StagingEntry staging = record.hasStaging() ? staging(record.getStaging()) : null;
            List<UseEntry> uses =
                    record.getUsersList().stream().map(EntryCodec::use).toList();
            return new VolumeEntry(
                    key,
                    id,
                    staging,
                    uses,
                    record.getRebuilt(),
                    record.getUncertainSinceMillis(),
                    record.hasForgetOrder() ? order(record.getForgetOrder()) : null,
                    record.hasGroupDelivery()
                            ? GroupDelivery.valueOf(record.getGroupDelivery())
                            : GroupDelivery.UNDECIDED,
                    record.hasLabelDelivery()
                            ? LabelDelivery.valueOf(record.getLabelDelivery())
                            : LabelDelivery.UNDECIDED);
        } catch (IllegalArgumentException e) {
            // The new exception does not contain the parser's exception, because its text may quote confidential parts
            // of the record.
            throw new UnusableFileException("its message is not a valid record of a volume");
        }
    }

    private static FileProto.Staging staging(StagingEntry staging) {
        return FileProto.Staging.newBuilder()
                .setTerms(terms(staging.terms()))
                .setPhase(staging.phase().name())
                .setBootId(staging.bootId())
                .setSeen(staging.observed())
                .setAnswered(staging.answered())
                .build();
    }

    private static StagingEntry staging(FileProto.Staging staging) {
        return new StagingEntry(
                terms(staging.getTerms()),
                StagingPhase.valueOf(staging.getPhase()),
                staging.getBootId(),
                staging.getSeen(),
                staging.getAnswered());
    }

    private static FileProto.User use(UseEntry use) {
        FileProto.User.Builder built = FileProto.User.newBuilder()
                .setAllocationId(use.allocationId().value())
                .setNumber(use.id().number())
                .setTerms(terms(use.terms()))
                .setPhase(use.phase().name())
                .setBootId(use.bootId())
                .setSeen(use.observed())
                .setHadStageSecrets(use.secrets().stage())
                .setHadPublishSecrets(use.secrets().publish())
                .setMayRun(use.mayRun())
                .setAnswered(use.answered());
        UnmountOrder order = use.order();
        if (order != null) {
            built.setOrder(order(order));
        }
        if (!use.renewal().equals(Renewal.NONE)) {
            built.setRenewal(renewal(use.renewal()));
        }
        return built.build();
    }

    private static FileProto.Renewal renewal(Renewal renewal) {
        return FileProto.Renewal.newBuilder()
                .setOptions(Values.republish(renewal.options()))
                .setDueMillis(renewal.dueMillis())
                .setExpiresMillis(renewal.expiresMillis())
                .setMount(renewal.mount())
                .setChanged(renewal.changed())
                .build();
    }

    private static Renewal renewal(FileProto.Renewal renewal) {
        return new Renewal(
                Values.republish(renewal.getOptions()),
                renewal.getDueMillis(),
                renewal.getExpiresMillis(),
                renewal.getMount(),
                renewal.getChanged());
    }

    private static UseEntry use(FileProto.User use) {
        return new UseEntry(
                new UseId(AllocationId.of(use.getAllocationId()), use.getNumber()),
                terms(use.getTerms()),
                UsePhase.valueOf(use.getPhase()),
                use.getBootId(),
                use.getSeen(),
                new HadSecrets(use.getHadStageSecrets(), use.getHadPublishSecrets()),
                use.getMayRun(),
                use.hasOrder() ? order(use.getOrder()) : null,
                use.getAnswered(),
                use.hasRenewal() ? renewal(use.getRenewal()) : Renewal.NONE);
    }

    private static FileProto.UnmountOrder order(UnmountOrder order) {
        return FileProto.UnmountOrder.newBuilder()
                .setOperator(order.operator())
                .setReason(order.reason())
                .setAtMillis(order.atMillis())
                .build();
    }

    private static UnmountOrder order(FileProto.UnmountOrder order) {
        return new UnmountOrder(order.getOperator(), order.getReason(), order.getAtMillis());
    }

    private static FileProto.MountTerms terms(MountTerms terms) {
        FileProto.MountTerms.Builder built = FileProto.MountTerms.newBuilder()
                .setAccessMode(terms.capability().accessMode().name())
                .setAttachmentMode(terms.capability().attachmentMode().name())
                .setFsType(terms.mountOptions().fsType())
                .setVolumeMountGroup(terms.mountOptions().volumeMountGroup())
                .addAllMountFlags(terms.mountOptions().mountFlags().asList())
                .setReadonly(terms.readonly())
                .addAllPublishContext(Values.entries(terms.publishContext().asMap()))
                .addAllVolumeContext(Values.entries(terms.volumeContext().asMap()));
        if (!terms.mountOptions().ownership().equals(OwnershipOptions.defaults())) {
            built.setOwnership(Values.ownership(terms.mountOptions().ownership()));
        }
        terms.mountOptions().securityLabel().map(SecurityLabel::context).ifPresent(built::setSecurityLabel);
        terms.machine().map(ExternalNodeId::value).ifPresent(built::setExternalNodeId);
        if (!terms.targetFlags().equals(terms.mountOptions().mountFlags())) {
            built.setTargetFlags(FileProto.TargetFlags.newBuilder()
                    .addAllFlags(terms.targetFlags().asList()));
        }
        if (!terms.ownershipSettings().equals(OwnershipSettings.ofDefaults())) {
            built.setOwnershipSettings(Values.ownershipSettings(terms.ownershipSettings()));
        }
        return built.setInline(terms.inline())
                .addAllWorkloadInfo(Values.entries(terms.workloadInfo().asMap()))
                .setLabelByMount(terms.labelByMount())
                .build();
    }

    private static MountTerms terms(FileProto.MountTerms terms) {
        MountFlags flags = MountFlags.of(terms.getMountFlagsList());
        return new MountTerms(
                new RequestedCapability(
                        VolumeAccessMode.valueOf(terms.getAccessMode()),
                        AttachmentMode.valueOf(terms.getAttachmentMode())),
                new MountOptions(
                        terms.getFsType(),
                        flags,
                        terms.getVolumeMountGroup(),
                        terms.hasOwnership() ? Values.ownership(terms.getOwnership()) : OwnershipOptions.defaults(),
                        terms.hasSecurityLabel()
                                ? Optional.of(new SecurityLabel(terms.getSecurityLabel()))
                                : Optional.empty()),
                terms.hasTargetFlags() ? MountFlags.of(terms.getTargetFlags().getFlagsList()) : flags,
                terms.getReadonly(),
                PublishContext.of(Values.entries(terms.getPublishContextList())),
                VolumeContext.of(Values.entries(terms.getVolumeContextList())),
                terms.hasExternalNodeId()
                        ? Optional.of(ExternalNodeId.of(terms.getExternalNodeId()))
                        : Optional.empty(),
                terms.getInline(),
                VolumeContext.of(Values.entries(terms.getWorkloadInfoList())),
                terms.getLabelByMount(),
                terms.hasOwnershipSettings()
                        ? Values.ownershipSettings(terms.getOwnershipSettings())
                        : OwnershipSettings.ofDefaults());
    }
}
