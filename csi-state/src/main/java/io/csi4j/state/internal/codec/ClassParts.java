package io.csi4j.state.internal.codec;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.volume.CapacityCheck;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeBinding;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import io.csi4j.core.volume.VolumeLifetime;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.proto.values.v1.ValuesProto;
import io.csi4j.values.internal.Values;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Volume classes, templates of volumes, and the commands about classes. The confidential values of a class pass through the cipher. */
final class ClassParts implements VolumeClassCommand.Cases<Command.Builder> {
    private final ConfidentialParts confidential;

    ClassParts(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    StateProto.VolumeClass row(VolumeClass volumeClass) {
        return StateProto.VolumeClass.newBuilder()
                .setValues(values(volumeClass, ConfidentialParts.ROW))
                .setCreateIndex(volumeClass.createIndex())
                .setModifyIndex(volumeClass.modifyIndex())
                .build();
    }

    VolumeClass row(StateProto.VolumeClass row) {
        return values(row.getValues(), ConfidentialParts.ROW).stored(row.getCreateIndex(), row.getModifyIndex());
    }

    private StateProto.VolumeClassValues values(VolumeClass volumeClass, String field) {
        StateProto.VolumeClassValues.Builder row = StateProto.VolumeClassValues.newBuilder()
                .setName(volumeClass.name().value())
                .setPluginId(volumeClass.pluginId().value())
                .addAllRequestedCapabilities(capabilities(volumeClass.requestedCapabilities()))
                .setLeastBytes(volumeClass.leastBytes())
                .setGreatestBytes(volumeClass.greatestBytes())
                .setBinding(volumeClass.binding().name())
                .setReclaim(volumeClass.reclaim().name());
        if (volumeClass.kind() != VolumeKind.CREATED) {
            row.setKind(volumeClass.kind().name());
        }
        row.addAllAttributeKeys(volumeClass.attributeKeys())
                .setEphemeral(volumeClass.ephemeral())
                .setRefusedInTemplates(!volumeClass.useByTemplate());
        if (!volumeClass.mountOptions().withoutFlags().isEmpty()) {
            row.setMountOptions(Parts.mountOptions(volumeClass.mountOptions()));
        }
        volumeClass.defaultCapacity().map(Parts::capacityRange).ifPresent(row::setDefaultCapacity);
        volumeClass.allowedTopologies().forEach(topology -> row.addAllowedTopologies(Values.topology(topology)));
        volumeClass.declaredFencingPolicy().map(Parts::fencingPolicy).ifPresent(row::setFencingPolicy);
        volumeClass.namespaces().forEach(namespace -> row.addNamespaces(namespace.value()));
        if (volumeClass.capacityCheck() != CapacityCheck.ADVISE) {
            row.setCapacityCheck(volumeClass.capacityCheck().name());
        }
        confidential
                .hideAny(volumeClass.name(), field, confidentialValues(volumeClass))
                .ifPresent(row::setConfidential);
        return row.build();
    }

    private VolumeClass values(StateProto.VolumeClassValues row, String field) {
        VolumeClassName name = VolumeClassName.of(row.getName());
        StateProto.Confidential hidden =
                confidential.revealAny(name, field, row.hasConfidential(), row.getConfidential());
        ValuesProto.MountOptions flags =
                hidden.getSpec().hasMountOptions() ? hidden.getSpec().getMountOptions() : null;
        VolumeClass.Builder builder = VolumeClass.builder(name, PluginId.of(row.getPluginId()))
                .parameters(Values.entries(hidden.getSpec().getParametersList()))
                .mutableParameters(Values.entries(hidden.getSpec().getMutableParametersList()))
                .requestedCapabilities(read(row.getRequestedCapabilitiesList()))
                .mountOptions(Values.mountOptions(VolumeFromProto.merged(row.getMountOptions(), flags)))
                .leastBytes(row.getLeastBytes())
                .greatestBytes(row.getGreatestBytes())
                .allowedTopologies(Parts.topologies(row.getAllowedTopologiesList()))
                .binding(Parts.name(VolumeBinding.class, "binding", row.getBinding()))
                .reclaim(Parts.name(ReclaimPolicy.class, "reclaim", row.getReclaim()))
                .secrets(Secrets.of(Values.entries(hidden.getSecretsList())))
                .namespaces(row.getNamespacesList().stream().map(Namespace::of).toList());
        if (row.hasDefaultCapacity()) {
            builder.defaultCapacity(Parts.capacityRange(row.getDefaultCapacity()));
        }
        if (row.hasKind()) {
            builder.kind(Parts.name(VolumeKind.class, "kind", row.getKind()));
        }
        builder.attributeKeys(row.getAttributeKeysList())
                .ephemeral(row.getEphemeral())
                .useByTemplate(!row.getRefusedInTemplates());
        if (row.hasFencingPolicy()) {
            builder.fencingPolicy(Parts.fencingPolicy(row.getFencingPolicy()));
        }
        if (row.hasCapacityCheck()) {
            builder.capacityCheck(Parts.name(CapacityCheck.class, "capacity_check", row.getCapacityCheck()));
        }
        return builder.restore();
    }

    private static StateProto.Confidential.Builder confidentialValues(VolumeClass volumeClass) {
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder()
                .addAllSecrets(Values.entries(volumeClass.secrets().asMap()));
        StateProto.VolumeSpec.Builder spec = StateProto.VolumeSpec.newBuilder()
                .addAllParameters(Values.entries(volumeClass.parameters()))
                .addAllMutableParameters(Values.entries(volumeClass.mutableParameters()));
        if (!volumeClass.mountOptions().mountFlags().isEmpty()) {
            spec.setMountOptions(Parts.mountFlags(volumeClass.mountOptions()));
        }
        StateProto.VolumeSpec part = spec.build();
        return part.getSerializedSize() > 0 ? values.setSpec(part) : values;
    }

    private static List<StateProto.Capability> capabilities(List<RequestedCapability> capabilities) {
        return capabilities.stream().map(Parts::capability).toList();
    }

    private static List<RequestedCapability> read(List<StateProto.Capability> rows) {
        return rows.stream().map(Parts::capability).toList();
    }

    static StateProto.ClassOrigin origin(ClassOrigin origin) {
        return StateProto.ClassOrigin.newBuilder()
                .setName(origin.name().value())
                .setIncarnation(origin.incarnation())
                .setVersion(origin.version())
                .setReclaim(origin.reclaim().name())
                .build();
    }

    static ClassOrigin origin(StateProto.ClassOrigin row) {
        return new ClassOrigin(
                VolumeClassName.of(row.getName()),
                row.getIncarnation(),
                row.getVersion(),
                Parts.name(ReclaimPolicy.class, "reclaim", row.getReclaim()));
    }

    /** Returns the message of a template without its attributes, which are confidential. */
    static StateProto.VolumeTemplate template(VolumeTemplate template) {
        StateProto.VolumeTemplate.Builder row = StateProto.VolumeTemplate.newBuilder()
                .setClassName(template.className().value())
                .addAllRequestedCapabilities(capabilities(template.requestedCapabilities()));
        template.capacityRange().map(Parts::capacityRange).ifPresent(row::setCapacityRange);
        if (template.lifetime() != VolumeLifetime.PERSISTENT) {
            row.setLifetime(template.lifetime().name());
        }
        template.workload().map(Owners::workload).ifPresent(row::setWorkload);
        template.contentSource().map(Parts::contentSource).ifPresent(row::setContentSource);
        template.sourceSnapshot().map(Snapshots::key).ifPresent(row::setSourceSnapshot);
        return row.setReuseRetained(template.reuseRetained())
                .setNodeTopologyOnly(template.nodeTopologyOnly())
                .setKeepUnused(template.keepUnused())
                .build();
    }

    static VolumeTemplate template(StateProto.VolumeTemplate row) {
        return template(row, Map.of());
    }

    static VolumeTemplate template(StateProto.VolumeTemplate row, Map<String, String> attributes) {
        VolumeTemplate.Builder builder = VolumeTemplate.builder(VolumeClassName.of(row.getClassName()))
                .requestedCapabilities(read(row.getRequestedCapabilitiesList()))
                .reuseRetained(row.getReuseRetained())
                .nodeTopologyOnly(row.getNodeTopologyOnly())
                .keepUnused(row.getKeepUnused())
                .attributes(attributes);
        if (row.hasContentSource()) {
            builder.contentSource(Parts.contentSource(row.getContentSource()));
        }
        if (row.hasSourceSnapshot()) {
            builder.sourceSnapshot(Snapshots.key(row.getSourceSnapshot()));
        }
        if (row.hasLifetime()) {
            lifetime(row, builder);
        }
        if (row.hasCapacityRange()) {
            builder.capacityRange(Parts.capacityRange(row.getCapacityRange()));
        }
        return builder.build();
    }

    private static void lifetime(StateProto.VolumeTemplate row, VolumeTemplate.Builder builder) {
        switch (Parts.name(VolumeLifetime.class, "lifetime", row.getLifetime())) {
            case PERSISTENT -> {}
            case ALLOCATION -> builder.ofAllocation();
            case WORKLOAD -> builder.ofWorkload(Owners.workload(row.getWorkload()));
        }
    }

    @Override
    public Command.Builder putVolumeClass(VolumeClassCommand.PutVolumeClass command) {
        return Command.newBuilder()
                .setPutVolumeClass(CommandProto.PutVolumeClass.newBuilder()
                        .setVolumeClass(values(command.volumeClass(), ConfidentialParts.PUT_VOLUME_CLASS))
                        .setIfModifyIndex(command.ifModifyIndex()));
    }

    VolumeClassCommand putVolumeClass(CommandProto.PutVolumeClass row, Instant at) {
        return new VolumeClassCommand.PutVolumeClass(
                values(row.getVolumeClass(), ConfidentialParts.PUT_VOLUME_CLASS), row.getIfModifyIndex(), at);
    }

    @Override
    public Command.Builder removeVolumeClass(VolumeClassCommand.RemoveVolumeClass command) {
        return Command.newBuilder()
                .setRemoveVolumeClass(CommandProto.RemoveVolumeClass.newBuilder()
                        .setName(command.name().value())
                        .setIfCreateIndex(command.ifCreateIndex()));
    }

    static VolumeClassCommand removeVolumeClass(CommandProto.RemoveVolumeClass row, Instant at) {
        return new VolumeClassCommand.RemoveVolumeClass(VolumeClassName.of(row.getName()), row.getIfCreateIndex(), at);
    }
}
