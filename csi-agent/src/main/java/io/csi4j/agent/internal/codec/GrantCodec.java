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
import java.util.List;

/**
 * Converts claim requests and granted claims to protocol messages and back. The read methods throw the same exceptions as those of {@link
 * IdCodec}.
 */
public final class GrantCodec {
    private GrantCodec() {}

    public static ClaimedVolume write(ClaimRequest request) {
        return ClaimedVolume.newBuilder()
                .setVolume(IdCodec.write(request.volume()))
                .setMode(IdCodec.write(request.mode()))
                .setCapability(IdCodec.write(request.capability()))
                .setMountOptions(IdCodec.write(request.mountOptions()))
                .build();
    }

    public static ClaimRequest read(ClaimedVolume claimed) {
        return new ClaimRequest(
                IdCodec.read(claimed.getVolume()),
                IdCodec.read(claimed.getMode(), claimed.getModeValue()),
                IdCodec.read(claimed.getCapability()),
                IdCodec.read(claimed.getMountOptions()));
    }

    public static Grant write(ClaimGrant grant) {
        Grant.Builder granted = Grant.newBuilder();
        grant.volumes().forEach(volume -> granted.addVolumes(write(volume)));
        return granted.build();
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
                .setMountOptions(IdCodec.write(grant.mountOptions()))
                .setReadonly(grant.claim().mode() == ClaimMode.READ)
                .putAllPublishContext(grant.publishContext().asMap())
                .putAllVolumeContext(volume.volumeContext().asMap())
                .putAllStageSecrets(grant.stageSecrets().asMap())
                .putAllPublishSecrets(grant.publishSecrets().asMap())
                .build();
    }

    public static List<NodeMount> read(Grant grant) {
        return grant.getVolumesList().stream().map(GrantCodec::read).toList();
    }

    private static NodeMount read(GrantedVolume granted) {
        NodeVolumeId id = new NodeVolumeId(
                IdCodec.read(granted.getUse().getVolume()),
                PluginId.of(granted.getUse().getPluginId()),
                ExternalVolumeId.of(granted.getUse().getExternalVolumeId()));
        return NodeMount.builder(
                        id, AllocationId.of(granted.getUse().getAllocationId()), IdCodec.read(granted.getCapability()))
                .mountOptions(IdCodec.read(granted.getMountOptions()))
                .readonly(granted.getReadonly())
                .publishContext(PublishContext.of(granted.getPublishContextMap()))
                .volumeContext(VolumeContext.of(granted.getVolumeContextMap()))
                .stageSecrets(Secrets.of(granted.getStageSecretsMap()))
                .publishSecrets(Secrets.of(granted.getPublishSecretsMap()))
                .build();
    }
}
