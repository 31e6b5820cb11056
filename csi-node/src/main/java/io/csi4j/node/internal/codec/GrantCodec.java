package io.csi4j.node.internal.codec;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.proto.agent.v1.AgentProto.ClaimedVolume;
import io.csi4j.proto.agent.v1.AgentProto.Grant;
import io.csi4j.proto.agent.v1.AgentProto.GrantedVolume;
import io.csi4j.proto.agent.v1.AgentProto.MountTarget;
import io.csi4j.values.internal.Values;
import java.util.List;
import java.util.Optional;

/**
 * Converts claim requests and granted claims to protocol messages and back. The read methods throw the same exceptions as those of {@link
 * IdCodec}.
 */
public final class GrantCodec {
    private GrantCodec() {}

    public static ClaimedVolume write(ClaimRequest request) {
        ClaimedVolume.Builder claimed = ClaimedVolume.newBuilder()
                .setVolume(Values.key(request.volume()))
                .setMode(IdCodec.write(request.mode()))
                .setCapability(IdCodec.write(request.capability()))
                .setMountOptions(Values.mountOptions(request.mountOptions()));
        request.template().map(TemplateCodec::write).ifPresent(claimed::setTemplate);
        return claimed.build();
    }

    public static ClaimRequest read(ClaimedVolume claimed) {
        return new ClaimRequest(
                Values.key(claimed.getVolume()),
                IdCodec.read(claimed.getMode(), claimed.getModeValue()),
                IdCodec.read(claimed.getCapability()),
                Values.mountOptions(claimed.getMountOptions()),
                claimed.hasTemplate() ? Optional.of(TemplateCodec.read(claimed.getTemplate())) : Optional.empty());
    }

    public static Grant write(ClaimGrant grant) {
        return write(grant.volumes().stream().map(NodeMount::of).toList());
    }

    /**
     * Returns the message of the mounts of a grant.
     *
     * @throws IllegalArgumentException for a mount of {@link NodeMount#forRequests}
     */
    public static Grant write(List<NodeMount> mounts) {
        Grant.Builder granted = Grant.newBuilder();
        mounts.forEach(mount -> granted.addVolumes(write(mount)));
        return granted.build();
    }

    public static List<NodeMount> read(Grant grant) {
        return grant.getVolumesList().stream().map(GrantCodec::read).toList();
    }

    private static GrantedVolume write(NodeMount mount) {
        if (mount.numberProposed()) {
            throw new IllegalArgumentException("a mount of forRequests is for the node that made it, which may choose"
                    + " another number; send the mount of the grant, and call forRequests on the node");
        }
        GrantedVolume.Builder granted = GrantedVolume.newBuilder()
                .setUse(IdCodec.write(mount.volume(), mount.pluginId(), mount.externalVolumeId(), mount.allocationId()))
                .setCapability(IdCodec.write(mount.capability()))
                .setMountOptions(Values.mountOptions(mount.mountOptions()))
                .setReadonly(mount.readonly())
                .putAllPublishContext(mount.publishContext().asMap())
                .putAllVolumeContext(mount.volumeContext().asMap())
                .putAllStageSecrets(mount.secrets().stage().asMap())
                .putAllPublishSecrets(mount.secrets().publish().asMap())
                .setInline(mount.inline())
                .putAllWorkloadInfo(mount.workloadInfo().asMap())
                .setLabelByMount(mount.labelByMount());
        if (!mount.republish().equals(RepublishOptions.none())) {
            granted.setRepublish(Values.republish(mount.republish()));
        }
        if (!mount.ownershipSettings().equals(OwnershipSettings.ofDefaults())) {
            granted.setOwnershipSettings(Values.ownershipSettings(mount.ownershipSettings()));
        }
        mount.externalNodeId().map(ExternalNodeId::value).ifPresent(granted::setExternalNodeId);
        if (mount.number() > 0
                || !mount.targetFlags().equals(mount.mountOptions().mountFlags())) {
            granted.setTarget(MountTarget.newBuilder()
                    .setNumber(mount.number())
                    .addAllMountFlags(mount.targetFlags().asList()));
        }
        return granted.build();
    }

    private static NodeMount read(GrantedVolume granted) {
        NodeVolumeId id = new NodeVolumeId(
                Values.key(granted.getUse().getVolume()),
                PluginId.of(granted.getUse().getPluginId()),
                ExternalVolumeId.of(granted.getUse().getExternalVolumeId()));
        NodeMount.Builder mount = NodeMount.builder(
                        id, AllocationId.of(granted.getUse().getAllocationId()), IdCodec.read(granted.getCapability()))
                .mountOptions(Values.mountOptions(granted.getMountOptions()))
                .readonly(granted.getReadonly())
                .externalNodeId(granted.hasExternalNodeId() ? ExternalNodeId.of(granted.getExternalNodeId()) : null)
                .publishContext(PublishContext.of(granted.getPublishContextMap()))
                .volumeContext(VolumeContext.of(granted.getVolumeContextMap()))
                .stageSecrets(Secrets.of(granted.getStageSecretsMap()))
                .publishSecrets(Secrets.of(granted.getPublishSecretsMap()))
                .inline(granted.getInline())
                .workloadInfo(VolumeContext.of(granted.getWorkloadInfoMap()))
                .labelByMount(granted.getLabelByMount());
        if (granted.hasRepublish()) {
            mount.republish(Values.republish(granted.getRepublish()));
        }
        if (granted.hasOwnershipSettings()) {
            mount.ownershipSettings(Values.ownershipSettings(granted.getOwnershipSettings()));
        }
        if (granted.hasTarget()) {
            mount.number(granted.getTarget().getNumber())
                    .targetFlags(MountFlags.of(granted.getTarget().getMountFlagsList()));
        }
        return mount.build();
    }
}
