package io.csi4j.examples.quickstart;

import io.csi4j.client.CsiClient;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.rpc.ControllerGetCapabilitiesRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.GetPluginCapabilitiesRequest;
import io.csi4j.core.rpc.GetPluginInfoRequest;
import io.csi4j.core.rpc.NodeGetCapabilitiesRequest;
import io.csi4j.core.rpc.NodeGetInfoRequest;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.core.rpc.ProbeRequest;
import io.csi4j.examples.steps.StepRunner;
import io.csi4j.examples.steps.UndoStep;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The life of one volume on one node, in the order that CSI requires (R43-R49). Copy from here.
 *
 * <p>Each call returns a future; {@link StepRunner} waits for it, prints a line, and records the undo step. The undo runs in
 * reverse order: unpublish, unstage, detach, delete (R47-R49). It is the same after success, failure and Ctrl-C.
 */
final class FirstVolume {
    private static final String NAME = "my-first-volume";
    private static final long BYTES = 16L << 20;

    private final CsiClient plugin;
    private final StepRunner steps;
    private final Path directory;

    /**
     * A volume that is not created yet.
     *
     * @param directory the parent of the staging and target directories
     */
    FirstVolume(CsiClient plugin, StepRunner steps, Path directory) {
        this.plugin = plugin;
        this.steps = steps;
        this.directory = directory;
    }

    /** Creates, attaches, stages and publishes the volume; each step records its undo. */
    Path publish() {
        ExternalNodeId node = discoverPlugin();

        // The intended use of the volume. The plugin may refuse an unsupported use here and in each later call.
        VolumeCapability capability = VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);

        // 1. Create. The name makes this call idempotent: the same name returns the same volume (R51). Persist the
        //    name before the first call, because the answer may be lost (R56).
        CreateVolumeRequest create = CreateVolumeRequest.builder(NAME, List.of(capability))
                .capacityRange(CapacityRange.atLeast(BYTES))
                .build();
        ExternalVolume volume = steps.create(
                        Rpc.CREATE_VOLUME,
                        () -> plugin.controller().createVolume(create),
                        answer -> "volume " + answer.volume().volumeId(),
                        answer -> delete(answer.volume()))
                .volume();

        // 2. Attach to this node. Pass the publish context of the answer to the node calls unchanged (R63).
        ControllerPublishVolumeRequest attach = ControllerPublishVolumeRequest.builder(
                        volume.volumeId(), node, capability)
                .volumeContext(volume.volumeContext())
                .build();
        PublishContext publishContext = steps.runUndoable(
                        Rpc.CONTROLLER_PUBLISH_VOLUME,
                        () -> plugin.controller().controllerPublishVolume(attach),
                        answer -> "to node " + node,
                        detach(volume, node))
                .publishContext();

        // 3. Stage: once for each volume and node, after it is attached (R45). The caller creates the directory (R85).
        Path staging = createDirectory(directory.resolve("staging"));
        NodeStageVolumeRequest stage = NodeStageVolumeRequest.builder(volume.volumeId(), staging.toString(), capability)
                .publishContext(publishContext)
                .volumeContext(volume.volumeContext())
                .build();
        steps.runUndoable(
                Rpc.NODE_STAGE_VOLUME,
                () -> plugin.node().nodeStageVolume(stage),
                answer -> "at " + staging,
                unstage(volume, staging));

        // 4. Publish: once for each workload, after it is staged (R46). The caller creates the parent of the
        //    target, and the plugin creates the target itself (R88).
        Path target = createDirectory(directory.resolve("workload")).resolve("volume");
        NodePublishVolumeRequest publish = NodePublishVolumeRequest.builder(
                        volume.volumeId(), target.toString(), capability)
                .stagingTargetPath(staging.toString())
                .publishContext(publishContext)
                .volumeContext(volume.volumeContext())
                .build();
        steps.runUndoable(
                Rpc.NODE_PUBLISH_VOLUME,
                () -> plugin.node().nodePublishVolume(publish),
                answer -> "at " + target,
                unpublish(volume, target));
        return target;
    }

    /**
     * Reads the plugin's name, capabilities and node. A caller skips the steps whose capability is missing (R44); this
     * plugin has all of them.
     */
    private ExternalNodeId discoverPlugin() {
        steps.call(
                Rpc.PROBE,
                () -> plugin.identity().probe(ProbeRequest.of()),
                answer -> answer.ready() ? "ready" : "still starting");
        steps.call(
                Rpc.GET_PLUGIN_INFO,
                () -> plugin.identity().getPluginInfo(GetPluginInfoRequest.of()),
                answer -> answer.name() + " " + answer.vendorVersion());
        steps.call(
                Rpc.GET_PLUGIN_CAPABILITIES,
                () -> plugin.identity().getPluginCapabilities(GetPluginCapabilitiesRequest.of()),
                answer -> "controller: " + yesOrNo(answer.services().has(PluginService.CONTROLLER_SERVICE)));
        steps.call(
                Rpc.CONTROLLER_GET_CAPABILITIES,
                () -> plugin.controller().controllerGetCapabilities(ControllerGetCapabilitiesRequest.of()),
                answer -> "create: " + yesOrNo(answer.capabilities().has(ControllerCapability.CREATE_DELETE_VOLUME))
                        + ", attach: "
                        + yesOrNo(answer.capabilities().has(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)));
        steps.call(
                Rpc.NODE_GET_CAPABILITIES,
                () -> plugin.node().nodeGetCapabilities(NodeGetCapabilitiesRequest.of()),
                answer -> "stage: " + yesOrNo(answer.capabilities().has(NodeCapability.STAGE_UNSTAGE_VOLUME)));
        return steps.call(
                        Rpc.NODE_GET_INFO,
                        () -> plugin.node().nodeGetInfo(NodeGetInfoRequest.of()),
                        answer -> "node " + answer.nodeId())
                .nodeId();
    }

    private static String yesOrNo(boolean offered) {
        return offered ? "yes" : "no";
    }

    /** The last undo step, because a plugin may refuse to delete a volume in use (R49). */
    private UndoStep delete(ExternalVolume volume) {
        DeleteVolumeRequest request =
                DeleteVolumeRequest.builder(volume.volumeId()).build();
        return UndoStep.call(
                Rpc.DELETE_VOLUME, subject(volume), () -> plugin.controller().deleteVolume(request), "");
    }

    /** Allowed only after all unpublish and unstage calls on that node succeeded (R48). */
    private UndoStep detach(ExternalVolume volume, ExternalNodeId node) {
        ControllerUnpublishVolumeRequest request = ControllerUnpublishVolumeRequest.builder(volume.volumeId(), node)
                .build();
        return UndoStep.call(
                Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                subject(volume),
                () -> plugin.controller().controllerUnpublishVolume(request),
                "");
    }

    /** Allowed only after all unpublish calls of the volume on that node (R47). */
    private UndoStep unstage(ExternalVolume volume, Path staging) {
        NodeUnstageVolumeRequest request = NodeUnstageVolumeRequest.builder(volume.volumeId(), staging.toString())
                .build();
        return UndoStep.call(
                Rpc.NODE_UNSTAGE_VOLUME, subject(volume), () -> plugin.node().nodeUnstageVolume(request), "");
    }

    /** Also needed after a failed publish, which may have had a partial effect (R91). */
    private UndoStep unpublish(ExternalVolume volume, Path target) {
        NodeUnpublishVolumeRequest request = NodeUnpublishVolumeRequest.builder(volume.volumeId(), target.toString())
                .build();
        return UndoStep.call(
                Rpc.NODE_UNPUBLISH_VOLUME, subject(volume), () -> plugin.node().nodeUnpublishVolume(request), "");
    }

    private static String subject(ExternalVolume volume) {
        return "volume " + volume.volumeId();
    }

    private Path createDirectory(Path path) {
        steps.prepare(
                () -> Files.createDirectory(path),
                UndoStep.local(
                        "remove " + path, "directory", () -> Files.deleteIfExists(path), "the directory " + path));
        return path;
    }
}
