package io.csi4j.node.internal.codec;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.volume.VolumeLifetime;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import io.csi4j.proto.agent.v1.AgentProto;
import io.csi4j.proto.agent.v1.AgentProto.ClaimedTemplate;
import io.csi4j.proto.agent.v1.AgentProto.SourceSnapshot;
import io.csi4j.values.internal.Values;

/**
 * Converts the templates of volumes in claim requests to protocol messages and back. The read method throws the same
 * exceptions as those of {@link IdCodec}.
 */
final class TemplateCodec {
    private TemplateCodec() {}

    static ClaimedTemplate write(VolumeTemplate template) {
        ClaimedTemplate.Builder message = ClaimedTemplate.newBuilder()
                .setClassName(template.className().value())
                .setLifetime(write(template.lifetime()))
                .setReuseRetained(template.reuseRetained())
                .setNodeTopologyOnly(template.nodeTopologyOnly())
                .setKeepUnused(template.keepUnused());
        template.capacityRange()
                .ifPresent(
                        range -> message.setRequiredBytes(range.requiredBytes()).setLimitBytes(range.limitBytes()));
        template.requestedCapabilities()
                .forEach(capability -> message.addRequestedCapabilities(IdCodec.write(capability)));
        template.workload()
                .ifPresent(owner ->
                        message.setWorkloadName(owner.name().value()).setWorkloadIncarnation(owner.incarnation()));
        template.contentSource().ifPresent(source -> write(source, message));
        template.sourceSnapshot()
                .ifPresent(key -> message.setSourceSnapshot(SourceSnapshot.newBuilder()
                        .setNamespace(key.namespace().value())
                        .setName(key.name().value())));
        return message.addAllAttributes(Values.entries(template.attributes())).build();
    }

    private static void write(VolumeContentSource source, ClaimedTemplate.Builder message) {
        if (source instanceof VolumeContentSource.SnapshotSource snapshot) {
            message.setSnapshotId(snapshot.snapshotId().value());
        } else if (source instanceof VolumeContentSource.VolumeSource volume) {
            message.setVolumeId(volume.volumeId().value());
        }
    }

    static VolumeTemplate read(ClaimedTemplate message) {
        VolumeTemplate.Builder template = VolumeTemplate.builder(VolumeClassName.of(message.getClassName()))
                .requestedCapabilities(message.getRequestedCapabilitiesList().stream()
                        .map(IdCodec::read)
                        .toList())
                .reuseRetained(message.getReuseRetained())
                .nodeTopologyOnly(message.getNodeTopologyOnly())
                .keepUnused(message.getKeepUnused())
                .attributes(Values.entries(message.getAttributesList()));
        switch (message.getContentSourceCase()) {
            case SNAPSHOT_ID ->
                template.contentSource(VolumeContentSource.snapshot(SnapshotId.of(message.getSnapshotId())));
            case VOLUME_ID ->
                template.contentSource(VolumeContentSource.volume(ExternalVolumeId.of(message.getVolumeId())));
            case CONTENTSOURCE_NOT_SET -> {}
        }
        if (message.hasSourceSnapshot()) {
            SourceSnapshot snapshot = message.getSourceSnapshot();
            template.sourceSnapshot(SnapshotKey.of(snapshot.getNamespace(), snapshot.getName()));
        }
        if (message.hasRequiredBytes()) {
            template.capacityRange(new CapacityRange(message.getRequiredBytes(), message.getLimitBytes()));
        }
        switch (message.getLifetime()) {
            case VOLUME_LIFETIME_PERSISTENT -> {}
            case VOLUME_LIFETIME_ALLOCATION -> template.ofAllocation();
            case VOLUME_LIFETIME_WORKLOAD ->
                template.ofWorkload(WorkloadOwner.of(message.getWorkloadName(), message.getWorkloadIncarnation()));
            case VOLUME_LIFETIME_UNSPECIFIED, UNRECOGNIZED ->
                throw new IllegalArgumentException("the template has lifetime " + message.getLifetimeValue()
                        + ", which this version does not know; update it");
        }
        return template.build();
    }

    private static AgentProto.VolumeLifetime write(VolumeLifetime lifetime) {
        return switch (lifetime) {
            case PERSISTENT -> AgentProto.VolumeLifetime.VOLUME_LIFETIME_PERSISTENT;
            case ALLOCATION -> AgentProto.VolumeLifetime.VOLUME_LIFETIME_ALLOCATION;
            case WORKLOAD -> AgentProto.VolumeLifetime.VOLUME_LIFETIME_WORKLOAD;
        };
    }
}
