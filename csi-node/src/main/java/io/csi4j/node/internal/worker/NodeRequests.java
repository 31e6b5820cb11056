package io.csi4j.node.internal.worker;

import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.node.MountSecrets;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.mount.NodePaths;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The requests that mount and unmount, made of what is on record, so that a replay is the same call (R29). */
public final class NodeRequests {
    private final NodePaths paths;
    private final NodePlugin plugin;
    private final ExternalVolumeId volume;

    NodeRequests(NodePaths paths, NodePlugin plugin, NodeVolumeId id) {
        this.paths = paths;
        this.plugin = plugin;
        this.volume = id.externalVolumeId();
    }

    NodeStageVolumeRequest stage(Path staging, MountTerms terms, MountSecrets secrets) {
        return NodeStageVolumeRequest.builder(volume, paths.seenBy(plugin, staging), terms.volumeCapability())
                .publishContext(terms.publishContext())
                .volumeContext(terms.volumeContext())
                .secrets(secrets.stage())
                .build();
    }

    NodePublishVolumeRequest publish(Path target, @Nullable Path staging, MountTerms terms, MountSecrets secrets) {
        NodePublishVolumeRequest.Builder request = NodePublishVolumeRequest.builder(
                        volume, paths.seenBy(plugin, target), terms.volumeCapability())
                .publishContext(terms.publishContext())
                .volumeContext(terms.volumeContext())
                .readonly(terms.readonly())
                .secrets(secrets.publish());
        if (staging != null) {
            request.stagingTargetPath(paths.seenBy(plugin, staging));
        }
        return request.build();
    }

    NodeUnpublishVolumeRequest unpublish(Path target) {
        return NodeUnpublishVolumeRequest.builder(volume, paths.seenBy(plugin, target))
                .build();
    }

    NodeUnstageVolumeRequest unstage(Path staging) {
        return NodeUnstageVolumeRequest.builder(volume, paths.seenBy(plugin, staging))
                .build();
    }

    /** What the plugin has not offered and the terms need (R42). */
    static Optional<String> unsupported(NodePlugin plugin, MountTerms terms) {
        AccessMode mode = terms.capability().accessMode();
        boolean manyWriters =
                mode == AccessMode.SINGLE_NODE_SINGLE_WRITER || mode == AccessMode.SINGLE_NODE_MULTI_WRITER;
        if (manyWriters && !plugin.capabilities().has(NodeCapability.SINGLE_NODE_MULTI_WRITER)) {
            return Optional.of("the access mode " + mode
                    + " needs SINGLE_NODE_MULTI_WRITER, which the plugin's node service does not offer; use"
                    + " SINGLE_NODE_WRITER");
        }
        if (!terms.mountOptions().volumeMountGroup().isEmpty()
                && !plugin.capabilities().has(NodeCapability.VOLUME_MOUNT_GROUP)) {
            return Optional.of("volumeMountGroup needs VOLUME_MOUNT_GROUP, which the plugin's node service does not"
                    + " offer; leave it out");
        }
        return Optional.empty();
    }
}
