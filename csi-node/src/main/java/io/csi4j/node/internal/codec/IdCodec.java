package io.csi4j.node.internal.codec;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.proto.agent.v1.AgentProto;
import io.csi4j.proto.agent.v1.AgentProto.Capability;
import io.csi4j.proto.agent.v1.AgentProto.Instance;
import io.csi4j.proto.agent.v1.AgentProto.VolumeUse;
import io.csi4j.values.internal.Values;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Converts ids, claim modes and capabilities to protocol messages and back. The read methods throw an {@link IllegalArgumentException} that
 * names the field if this version does not know a value.
 */
public final class IdCodec {
    private IdCodec() {}

    public static VolumeUse write(VolumeKey key, PluginId plugin, ExternalVolumeId external, AllocationId allocation) {
        return VolumeUse.newBuilder()
                .setVolume(Values.key(key))
                .setPluginId(plugin.value())
                .setExternalVolumeId(external.value())
                .setAllocationId(allocation.value())
                .build();
    }

    public static Instance write(InstanceKey key) {
        Instance.Builder instance = Instance.newBuilder()
                .setPluginId(key.pluginId().value())
                .setType(
                        switch (key.type()) {
                            case CONTROLLER -> AgentProto.PluginType.PLUGIN_TYPE_CONTROLLER;
                            case NODE -> AgentProto.PluginType.PLUGIN_TYPE_NODE;
                            case MONOLITH -> AgentProto.PluginType.PLUGIN_TYPE_MONOLITH;
                        });
        key.allocationId().map(AllocationId::value).ifPresent(instance::setAllocationId);
        return instance.build();
    }

    public static InstanceKey read(NodeId node, Instance instance) {
        PluginType type = switch (instance.getType()) {
            case PLUGIN_TYPE_CONTROLLER -> PluginType.CONTROLLER;
            case PLUGIN_TYPE_NODE -> PluginType.NODE;
            case PLUGIN_TYPE_MONOLITH -> PluginType.MONOLITH;
            case PLUGIN_TYPE_UNSPECIFIED, UNRECOGNIZED -> throw unknown("instance.type", instance.getTypeValue());
        };
        return new InstanceKey(
                node,
                PluginId.of(instance.getPluginId()),
                type,
                instance.hasAllocationId()
                        ? Optional.of(AllocationId.of(instance.getAllocationId()))
                        : Optional.empty());
    }

    private static IllegalArgumentException unknown(String field, int number) {
        return new IllegalArgumentException(field + ": the number " + number
                + " stands for nothing that this version knows; update this side, or leave it unused");
    }

    public static AgentProto.ClaimMode write(ClaimMode mode) {
        return mode == ClaimMode.READ ? AgentProto.ClaimMode.CLAIM_MODE_READ : AgentProto.ClaimMode.CLAIM_MODE_WRITE;
    }

    public static ClaimMode read(AgentProto.ClaimMode mode, int number) {
        return switch (mode) {
            case CLAIM_MODE_READ -> ClaimMode.READ;
            case CLAIM_MODE_WRITE -> ClaimMode.WRITE;
            case CLAIM_MODE_UNSPECIFIED, UNRECOGNIZED -> throw unknown("mode", number);
        };
    }

    public static Capability write(RequestedCapability capability) {
        return Capability.newBuilder()
                .setAccessMode(capability.accessMode().number())
                .setAttachmentMode(
                        capability.attachmentMode() == AttachmentMode.BLOCK
                                ? AgentProto.AttachmentMode.ATTACHMENT_MODE_BLOCK
                                : AgentProto.AttachmentMode.ATTACHMENT_MODE_MOUNT)
                .build();
    }

    public static RequestedCapability read(Capability capability) {
        AttachmentMode attachment = switch (capability.getAttachmentMode()) {
            case ATTACHMENT_MODE_BLOCK -> AttachmentMode.BLOCK;
            case ATTACHMENT_MODE_MOUNT -> AttachmentMode.MOUNT;
            case ATTACHMENT_MODE_UNSPECIFIED, UNRECOGNIZED ->
                throw unknown("capability.attachmentMode", capability.getAttachmentModeValue());
        };
        VolumeAccessMode access = Stream.of(VolumeAccessMode.values())
                .filter(mode -> mode != VolumeAccessMode.UNKNOWN && mode.number() == capability.getAccessMode())
                .findFirst()
                .orElseThrow(() -> unknown("capability.accessMode", capability.getAccessMode()));
        return new RequestedCapability(access, attachment);
    }
}
