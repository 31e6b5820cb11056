package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.examples.steps.CallerDirectories;
import io.csi4j.examples.steps.UndoStep;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Brings one volume to this node: attach, stage, publish (R43). Steps without a capability are skipped (R44); each other step
 * is recorded for the undo.
 */
final class NodeSteps {
    private final Session session;
    private final CreatedVolume volume;
    private final Path directory;
    private PublishContext publishContext = PublishContext.empty();

    /**
     * A volume that is not on the node yet.
     *
     * @param label the name of its directory; different for each volume
     */
    NodeSteps(Session session, CreatedVolume volume, String label) {
        this.session = session;
        this.volume = volume;
        this.directory = session.directory().resolve(label);
    }

    /** The staging path; empty if the plugin does not stage. */
    Optional<Path> stagingPath() {
        return session.capabilities().has(NodeCapability.STAGE_UNSTAGE_VOLUME)
                ? Optional.of(directory.resolve("staging"))
                : Optional.empty();
    }

    CreatedVolume volume() {
        return volume;
    }

    /** Calls ControllerPublishVolume and keeps its publish context for the node (R63). */
    void attach() {
        if (!session.offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME, Rpc.CONTROLLER_PUBLISH_VOLUME)) {
            return;
        }
        ExternalNodeId node = session.capabilities()
                .nodeId()
                .orElseThrow(() -> new IllegalStateException("NodeGetInfo is called first when there is this step"));
        boolean readonly = session.options().accessMode().readerOnly()
                && session.capabilities().has(ControllerCapability.PUBLISH_READONLY);
        ControllerPublishVolumeRequest request = ControllerPublishVolumeRequest.builder(
                        volume.id(), node, session.options().capability())
                .readonly(readonly)
                .volumeContext(volume.context())
                .secrets(session.options().secrets())
                .build();
        ControllerPublishVolumeResponse answer = session.steps()
                .runUndoable(
                        Rpc.CONTROLLER_PUBLISH_VOLUME,
                        () -> session.plugin().controller().controllerPublishVolume(request),
                        response -> volume.id() + " to node " + node,
                        detach(node));
        publishContext = answer.publishContext();
    }

    private UndoStep detach(ExternalNodeId node) {
        ControllerUnpublishVolumeRequest request = ControllerUnpublishVolumeRequest.builder(volume.id(), node)
                .secrets(session.options().secrets())
                .build();
        return UndoStep.call(
                Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                volume.subject(),
                () -> session.plugin().controller().controllerUnpublishVolume(request),
                "volume " + volume.id() + " may be attached to node " + node
                        + "; detach it at the storage provider once the node no longer uses it");
    }

    /** Calls NodeStageVolume, after ControllerPublishVolume (R45). The caller creates the directory (R85). */
    void stage() {
        if (!session.offers(NodeCapability.STAGE_UNSTAGE_VOLUME, Rpc.NODE_STAGE_VOLUME)) {
            return;
        }
        String staging = stagingPath().orElseThrow().toString();
        createDirectory(stagingPath().orElseThrow());
        NodeStageVolumeRequest request = NodeStageVolumeRequest.builder(
                        volume.id(), staging, session.options().capability())
                .publishContext(publishContext)
                .volumeContext(volume.context())
                .secrets(session.options().secrets())
                .build();
        session.steps()
                .runUndoable(
                        Rpc.NODE_STAGE_VOLUME,
                        () -> session.plugin().node().nodeStageVolume(request),
                        response -> "at " + staging,
                        UndoStep.call(
                                Rpc.NODE_UNSTAGE_VOLUME,
                                volume.subject(),
                                () -> session.plugin()
                                        .node()
                                        .nodeUnstageVolume(NodeUnstageVolumeRequest.builder(volume.id(), staging)
                                                .build()),
                                "volume " + volume.id() + " may be staged at " + staging
                                        + "; once the plugin is well, unmount it there"));
    }

    /**
     * Calls NodePublishVolume, after NodeStageVolume (R46). The caller creates the parent of the target, and the plugin the target
     * itself (R88).
     */
    Path publish(String target, boolean readonly) {
        Path parent = directory.resolve(target);
        Path path = parent.resolve("target");
        createDirectory(parent);
        NodePublishVolumeRequest.Builder request = NodePublishVolumeRequest.builder(
                        volume.id(), path.toString(), session.options().capability())
                .readonly(readonly)
                .publishContext(publishContext)
                .volumeContext(volume.context())
                .secrets(session.options().secrets());
        stagingPath().ifPresent(staging -> request.stagingTargetPath(staging.toString()));
        NodePublishVolumeRequest publishRequest = request.build();
        session.steps()
                .runUndoable(
                        Rpc.NODE_PUBLISH_VOLUME,
                        () -> session.plugin().node().nodePublishVolume(publishRequest),
                        response -> (readonly ? "read-only at " : "at ") + path,
                        unpublish(path));
        return path;
    }

    private UndoStep unpublish(Path path) {
        return UndoStep.call(
                Rpc.NODE_UNPUBLISH_VOLUME,
                volume.subject(),
                () -> session.plugin()
                        .node()
                        .nodeUnpublishVolume(NodeUnpublishVolumeRequest.builder(volume.id(), path.toString())
                                .build()),
                "volume " + volume.id() + " may be published at " + path
                        + "; once the plugin is well, call NodeUnpublishVolume, or umount it");
    }

    private void createDirectory(Path path) {
        session.steps()
                .prepare(
                        () -> Files.createDirectories(path),
                        UndoStep.local(
                                "remove " + path,
                                volume.subject(),
                                () -> CallerDirectories.removeEmpty(path),
                                "the directory " + path + "; remove it when nothing is mounted there"));
    }
}
