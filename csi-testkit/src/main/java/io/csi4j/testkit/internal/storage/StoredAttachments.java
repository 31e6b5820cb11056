package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.rule.Modes;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Performs ControllerPublishVolume and ControllerUnpublishVolume (R61-R68). */
public final class StoredAttachments {
    private final Backend backend;

    public StoredAttachments(Backend backend) {
        this.backend = backend;
    }

    /**
     * Publishes a volume to a node.
     *
     * @param request the request, whose form has been checked
     * @param hasReaders whether the plugin has PUBLISH_READONLY. Only then is a second writer of a
     *     MULTI_NODE_SINGLE_WRITER volume refused
     * @return the publish context
     */
    public Map<String, String> publish(ControllerPublishVolumeRequest request, boolean hasReaders) {
        return backend.store.locked(() -> {
            VolumeRecord volume = backend.volume(request.getVolumeId());
            NodeRecord node = backend.nodes.get(request.getNodeId());
            if (node == null) {
                throw CallRefusal.notFound("node '" + request.getNodeId()
                        + "' is not known to the storage; use the node_id that NodeGetInfo returns there (R61, R64)");
            }
            if (request.getVolumeContextCount() > 0
                    && !request.getVolumeContextMap().equals(volume.volume().getVolumeContextMap())) {
                throw CallRefusal.invalid("volume_context: is not the one of volume '" + volume.id()
                        + "'; pass on what CreateVolume returned (R57)");
            }
            AttachmentRecord existing = volume.attachments().get(node.id());
            if (existing != null) {
                return sameOrRefuse(volume, existing, request);
            }
            requireSupported(volume, request.getVolumeCapability());
            requireFree(volume, request, hasReaders);
            if (!Topologies.reaches(node.segments(), volume.volume().getAccessibleTopologyList())) {
                throw CallRefusal.invalid("node_id: volume '" + volume.id() + "' is not accessible from node '"
                        + node.id() + "'; compare accessible_topology of CreateVolume and NodeGetInfo (R42)");
            }
            requireSlot(node);
            AttachmentRecord made = new AttachmentRecord(
                    node.id(), request.getVolumeCapability(), request.getReadonly(), backend.newId("att"));
            TreeMap<String, AttachmentRecord> attachments = new TreeMap<>(volume.attachments());
            attachments.put(node.id(), made);
            backend.volumes.put(volume.id(), volume.withAttachments(attachments));
            return made.publishContext();
        });
    }

    private static Map<String, String> sameOrRefuse(
            VolumeRecord volume, AttachmentRecord existing, ControllerPublishVolumeRequest request) {
        if (existing.capability().equals(request.getVolumeCapability())
                && existing.readonly() == request.getReadonly()) {
            return existing.publishContext();
        }
        throw CallRefusal.alreadyExists("volume '" + volume.id() + "' is published to node '" + existing.nodeId()
                + "' with another volume_capability or readonly; unpublish it first, or use the same (R64)");
    }

    private static void requireSupported(VolumeRecord volume, VolumeCapability wanted) {
        if (!StoredVolumes.supports(volume, wanted)) {
            throw CallRefusal.invalid("volume_capability: volume '" + volume.id()
                    + "' was not made for it; ask ValidateVolumeCapabilities (R64)");
        }
    }

    private static void requireFree(VolumeRecord volume, ControllerPublishVolumeRequest request, boolean hasReaders) {
        Mode wanted = request.getVolumeCapability().getAccessMode().getMode();
        for (AttachmentRecord other : volume.attachments().values()) {
            Mode there = other.capability().getAccessMode().getMode();
            if (!Modes.multiNode(wanted) || !Modes.multiNode(there)) {
                throw CallRefusal.failedPrecondition(
                        "volume '" + volume.id() + "' is published to node '" + other.nodeId()
                                + "' and one of the access modes " + there + " and " + wanted
                                + " allows one node only; unpublish it there first (R64)");
            }
            boolean singleWriter = wanted == Mode.MULTI_NODE_SINGLE_WRITER || there == Mode.MULTI_NODE_SINGLE_WRITER;
            if (hasReaders && singleWriter && !other.readonly() && !request.getReadonly()) {
                throw CallRefusal.failedPrecondition("volume '" + volume.id() + "' has its one writer on node '"
                        + other.nodeId() + "'; publish with readonly, or unpublish it there first (R64)");
            }
        }
    }

    private void requireSlot(NodeRecord node) {
        int taken = backend.volumes.where(VolumeRecord.BY_NODE, node.id()).size();
        if (node.attachLimit() > 0 && taken >= node.attachLimit()) {
            throw CallRefusal.exhausted("node '" + node.id() + "' has " + taken
                    + " volumes, which is its limit; unpublish" + " one there first (R64)");
        }
    }

    /**
     * Unpublishes a volume from one node or from all nodes.
     *
     * @param volumeId the volume; an unknown one counts as detached (R65)
     * @param nodeId the node; empty: all nodes (R66)
     */
    public void unpublish(String volumeId, String nodeId) {
        backend.store.locked(() -> {
            VolumeRecord volume = backend.find(volumeId);
            if (volume == null) {
                return "nothing to do";
            }
            TreeMap<String, AttachmentRecord> left = new TreeMap<>(volume.attachments());
            left.keySet().removeIf(node -> nodeId.isEmpty() || node.equals(nodeId));
            if (left.size() == volume.attachments().size()) {
                return "nothing to do";
            }
            List<NodeUse> uses = backend.uses(volumeId).stream()
                    .filter(use -> nodeId.isEmpty() || use.nodeId().equals(nodeId))
                    .toList();
            if (!uses.isEmpty()) {
                throw CallRefusal.failedPrecondition("volume '" + volumeId + "' is still in use on " + uses
                        + "; NodeUnpublishVolume and NodeUnstageVolume come first (R48)");
            }
            backend.volumes.put(volumeId, volume.withAttachments(left));
            return "unpublished";
        });
    }
}
