package io.csi4j.testkit.internal.node;

import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.rule.Modes;
import io.csi4j.testkit.internal.storage.AttachmentRecord;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.NodeUse;
import io.csi4j.testkit.internal.storage.NodeVolume;
import io.csi4j.testkit.internal.storage.StoredVolumes;
import io.csi4j.testkit.internal.storage.VolumeRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules for concurrent publications of a volume: R89, R90 and R96. */
final class PublishPolicy {
    private final Backend backend;
    private final String nodeId;

    PublishPolicy(Backend backend, String nodeId) {
        this.backend = backend;
        this.nodeId = nodeId;
    }

    /** Returns whether a publication refuses writes: it is readonly, or its access mode is for readers. */
    static boolean readonly(NodePublishVolumeRequest request) {
        return request.getReadonly()
                || Modes.readerOnly(
                        request.getVolumeCapability().getAccessMode().getMode());
    }

    /** Checks whether a volume that is published on this node may be published there again, by the table of R89. */
    void requireRepeatable(NodeVolume held, NodePublishVolumeRequest request) {
        NodePublishVolumeRequest same = held.published().get(request.getTargetPath());
        if (same != null) {
            if (!same.equals(request)) {
                throw CallRefusal.alreadyExists(
                        "volume '" + held.volumeId() + "' is published at '" + request.getTargetPath()
                                + "' with other arguments; unpublish it first, or use the same (R89)");
            }
            return;
        }
        Mode wanted = request.getVolumeCapability().getAccessMode().getMode();
        held.published().forEach((path, other) -> {
            Mode there = other.getVolumeCapability().getAccessMode().getMode();
            if (!Modes.multiPath(wanted) || !Modes.multiPath(there)) {
                throw CallRefusal.failedPrecondition("volume '" + held.volumeId() + "' is published at '" + path
                        + "' and one of the access modes " + there + " and " + wanted
                        + " allows one path only; unpublish it there first (R89)");
            }
        });
    }

    void requireSupported(VolumeRecord volume, VolumeCapability wanted) {
        if (!StoredVolumes.supports(volume, wanted)) {
            throw CallRefusal.failedPrecondition("volume_capability: volume '" + volume.id()
                    + "' was not made for it; ask ValidateVolumeCapabilities (R86, R90)");
        }
    }

    void requireAllowed(VolumeRecord volume, NodePublishVolumeRequest request, @Nullable AttachmentRecord attachment) {
        requireSupported(volume, request.getVolumeCapability());
        requireNodeAllowed(volume, request);
        if (!readonly(request) && attachment != null && attachment.readonly()) {
            throw CallRefusal.failedPrecondition("volume '" + volume.id() + "' is published to node '" + nodeId
                    + "' by the controller as readonly; publish with readonly (R90)");
        }
    }

    private void requireNodeAllowed(VolumeRecord volume, NodePublishVolumeRequest request) {
        Mode wanted = request.getVolumeCapability().getAccessMode().getMode();
        List<NodeUse> uses = backend.store().locked(() -> backend.uses(volume.id()));
        for (NodeUse use : uses) {
            if (use.nodeId().equals(nodeId)) {
                continue;
            }
            for (NodePublishVolumeRequest other : use.volume().published().values()) {
                Mode there = other.getVolumeCapability().getAccessMode().getMode();
                if (!Modes.multiNode(wanted) || !Modes.multiNode(there)) {
                    throw CallRefusal.failedPrecondition("volume '" + volume.id() + "' is published on " + use
                            + " and one of the access modes " + there + " and " + wanted
                            + " allows one node only; unpublish it there first (R90, R96)");
                }
                boolean many = wanted == Mode.MULTI_NODE_MULTI_WRITER && there == Mode.MULTI_NODE_MULTI_WRITER;
                if (!many && !readonly(request) && !readonly(other)) {
                    throw CallRefusal.failedPrecondition("volume '" + volume.id() + "' is written on " + use
                            + "; publish with readonly, or unpublish it there first (R90, R96)");
                }
            }
        }
    }
}
