package io.csi4j.agent.internal.codec;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Volume;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.proto.agent.v1.AgentProto.ClaimedVolume;
import io.csi4j.proto.agent.v1.AgentProto.Grant;
import io.csi4j.proto.agent.v1.AgentProto.GrantedVolume;
import io.csi4j.values.internal.Values;
import java.util.List;

/**
 * Converts claim requests and granted claims to protocol messages and back. The read methods throw the same exceptions as those of {@link
 * IdCodec}.
 */
public final class GrantCodec {
    private GrantCodec() {}

    public static ClaimedVolume write(ClaimRequest request) {
        return ClaimedVolume.newBuilder()
                .setVolume(Values.key(request.volume()))
                .setMode(IdCodec.write(request.mode()))
                .setCapability(IdCodec.write(request.capability()))
                .setMountOptions(Values.mountOptions(request.mountOptions()))
                .build();
    }

    public static ClaimRequest read(ClaimedVolume claimed) {
        return new ClaimRequest(
                Values.key(claimed.getVolume()),
                IdCodec.read(claimed.getMode(), claimed.getModeValue()),
                IdCodec.read(claimed.getCapability()),
                Values.mountOptions(claimed.getMountOptions()));
    }

    public static Grant write(ClaimGrant grant) {
        Grant.Builder granted = Grant.newBuilder();
        grant.volumes().forEach(volume -> granted.addVolumes(write(volume)));
        return granted.build();
    }

    public static List<NodeMount> read(Grant grant) {
        return grant.getVolumesList().stream().map(GrantCodec::read).toList();
    }

    private static GrantedVolume write(VolumeGrant grant) {
        Volume volume = grant.view().volume();
        return GrantedVolume.newBuilder()
                .setUse(IdCodec.write(
                        volume.key(),
                        volume.pluginId(),
                        volume.remoteId(),
                        grant.claim().allocationId()))
                .setCapability(IdCodec.write(grant.claim().capability()))
                .setMountOptions(Values.mountOptions(grant.mountOptions()))
                .setReadonly(grant.claim().mode() == ClaimMode.READ)
                .putAllPublishContext(grant.publishContext().asMap())
                .putAllVolumeContext(volume.volumeContext().asMap())
                .putAllStageSecrets(grant.stageSecrets().asMap())
                .putAllPublishSecrets(grant.publishSecrets().asMap())
                .build();
    }

    private static NodeMount read(GrantedVolume granted) {
        NodeVolumeId id = new NodeVolumeId(
                Values.key(granted.getUse().getVolume()),
                PluginId.of(granted.getUse().getPluginId()),
                ExternalVolumeId.of(granted.getUse().getExternalVolumeId()));
        return NodeMount.builder(
                        id, AllocationId.of(granted.getUse().getAllocationId()), IdCodec.read(granted.getCapability()))
                .mountOptions(Values.mountOptions(granted.getMountOptions()))
                .readonly(granted.getReadonly())
                .publishContext(PublishContext.of(granted.getPublishContextMap()))
                .volumeContext(VolumeContext.of(granted.getVolumeContextMap()))
                .stageSecrets(Secrets.of(granted.getStageSecretsMap()))
                .publishSecrets(Secrets.of(granted.getPublishSecretsMap()))
                .build();
    }
}
