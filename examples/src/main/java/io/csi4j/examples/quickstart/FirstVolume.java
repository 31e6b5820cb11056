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
import io.csi4j.examples.walk.Back;
import io.csi4j.examples.walk.Walk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The life of one volume on one node, in the order that CSI asks for (R43-R49). Copy from here.
 *
 * <p>Every call returns a future; {@link Walk} waits for it, prints a line, and keeps the opposite of each
 * step. Going back is taking the opposites, newest first: unpublish, unstage, detach, delete. That is the
 * order of R47-R49, and it is the same after success, after a failure and after Ctrl-C.
 */
final class FirstVolume {
    private static final String NAME = "my-first-volume";
    private static final long BYTES = 16L << 20;

    private final CsiClient plugin;
    private final Walk walk;
    private final Path directory;

    /**
     * A volume to be.
     *
     * @param directory where the staging and the target directory go
     */
    FirstVolume(CsiClient plugin, Walk walk, Path directory) {
        this.plugin = plugin;
        this.walk = walk;
        this.directory = directory;
    }

    /** From nothing to a published volume. The walk knows the way back. */
    Path publish() {
        ExternalNodeId node = meetThePlugin();

        // How the volume will be used. The plugin may refuse what it cannot do, here and in every later call.
        VolumeCapability asFileSystem = VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);

        // 1. Created. The name makes it idempotent: asked again with the same name, the plugin answers with
        //    the same volume (R51). So keep the name before the first call, for its answer may get lost (R56).
        CreateVolumeRequest create = CreateVolumeRequest.builder(NAME, List.of(asFileSystem))
                .capacityRange(CapacityRange.atLeast(BYTES))
                .build();
        ExternalVolume volume = walk.make(
                        Rpc.CREATE_VOLUME,
                        () -> plugin.controller().createVolume(create),
                        answer -> "volume " + answer.volume().volumeId(),
                        answer -> delete(answer.volume()))
                .volume();

        // 2. Attached to this node. What the plugin answers is for its node side: pass it on, unread (R63).
        ControllerPublishVolumeRequest attach = ControllerPublishVolumeRequest.builder(
                        volume.volumeId(), node, asFileSystem)
                .volumeContext(volume.volumeContext())
                .build();
        PublishContext publishContext = walk.enter(
                        Rpc.CONTROLLER_PUBLISH_VOLUME,
                        () -> plugin.controller().controllerPublishVolume(attach),
                        answer -> "to node " + node,
                        detach(volume, node))
                .publishContext();

        // 3. Staged: once per volume and node, only after it was attached (R45). We make the directory (R85).
        Path staging = makeDirectory(directory.resolve("staging"));
        NodeStageVolumeRequest stage = NodeStageVolumeRequest.builder(
                        volume.volumeId(), staging.toString(), asFileSystem)
                .publishContext(publishContext)
                .volumeContext(volume.volumeContext())
                .build();
        walk.enter(
                Rpc.NODE_STAGE_VOLUME,
                () -> plugin.node().nodeStageVolume(stage),
                answer -> "at " + staging,
                unstage(volume, staging));

        // 4. Published: once for each workload, only after it was staged (R46). We make the parent of the
        //    target, the plugin makes the target itself (R88).
        Path target = makeDirectory(directory.resolve("workload")).resolve("volume");
        NodePublishVolumeRequest publish = NodePublishVolumeRequest.builder(
                        volume.volumeId(), target.toString(), asFileSystem)
                .stagingTargetPath(staging.toString())
                .publishContext(publishContext)
                .volumeContext(volume.volumeContext())
                .build();
        walk.enter(
                Rpc.NODE_PUBLISH_VOLUME,
                () -> plugin.node().nodePublishVolume(publish),
                answer -> "at " + target,
                unpublish(volume, target));
        return target;
    }

    /**
     * Who is there, what can it do, and where is it? A plugin that lacks a capability lacks its steps, and
     * a caller then skips exactly those (R44). This one is ours: it has them all.
     */
    private ExternalNodeId meetThePlugin() {
        walk.call(
                Rpc.PROBE,
                () -> plugin.identity().probe(ProbeRequest.of()),
                answer -> answer.ready() ? "ready" : "still starting");
        walk.call(
                Rpc.GET_PLUGIN_INFO,
                () -> plugin.identity().getPluginInfo(GetPluginInfoRequest.of()),
                answer -> answer.name() + " " + answer.vendorVersion());
        walk.call(
                Rpc.GET_PLUGIN_CAPABILITIES,
                () -> plugin.identity().getPluginCapabilities(GetPluginCapabilitiesRequest.of()),
                answer -> "controller: " + yes(answer.services().has(PluginService.CONTROLLER_SERVICE)));
        walk.call(
                Rpc.CONTROLLER_GET_CAPABILITIES,
                () -> plugin.controller().controllerGetCapabilities(ControllerGetCapabilitiesRequest.of()),
                answer -> "create: " + yes(answer.capabilities().has(ControllerCapability.CREATE_DELETE_VOLUME))
                        + ", attach: " + yes(answer.capabilities().has(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)));
        walk.call(
                Rpc.NODE_GET_CAPABILITIES,
                () -> plugin.node().nodeGetCapabilities(NodeGetCapabilitiesRequest.of()),
                answer -> "stage: " + yes(answer.capabilities().has(NodeCapability.STAGE_UNSTAGE_VOLUME)));
        return walk.call(
                        Rpc.NODE_GET_INFO,
                        () -> plugin.node().nodeGetInfo(NodeGetInfoRequest.of()),
                        answer -> "node " + answer.nodeId())
                .nodeId();
    }

    private static String yes(boolean offered) {
        return offered ? "yes" : "no";
    }

    /** Last of all: a plugin may refuse while the volume is in use (R49). */
    private Back delete(ExternalVolume volume) {
        DeleteVolumeRequest request =
                DeleteVolumeRequest.builder(volume.volumeId()).build();
        return Back.call(
                Rpc.DELETE_VOLUME, subject(volume), () -> plugin.controller().deleteVolume(request), "");
    }

    /** Only after every unpublish and unstage on that node succeeded (R48). */
    private Back detach(ExternalVolume volume, ExternalNodeId node) {
        ControllerUnpublishVolumeRequest request = ControllerUnpublishVolumeRequest.builder(volume.volumeId(), node)
                .build();
        return Back.call(
                Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                subject(volume),
                () -> plugin.controller().controllerUnpublishVolume(request),
                "");
    }

    /** Only after every unpublish of the volume on that node (R47). */
    private Back unstage(ExternalVolume volume, Path staging) {
        NodeUnstageVolumeRequest request = NodeUnstageVolumeRequest.builder(volume.volumeId(), staging.toString())
                .build();
        return Back.call(
                Rpc.NODE_UNSTAGE_VOLUME, subject(volume), () -> plugin.node().nodeUnstageVolume(request), "");
    }

    /** Also after a publish that failed: it may have come half-way (R91). */
    private Back unpublish(ExternalVolume volume, Path target) {
        NodeUnpublishVolumeRequest request = NodeUnpublishVolumeRequest.builder(volume.volumeId(), target.toString())
                .build();
        return Back.call(
                Rpc.NODE_UNPUBLISH_VOLUME, subject(volume), () -> plugin.node().nodeUnpublishVolume(request), "");
    }

    private static String subject(ExternalVolume volume) {
        return "volume " + volume.volumeId();
    }

    private Path makeDirectory(Path path) {
        walk.prepare(
                () -> Files.createDirectory(path),
                Back.local("remove " + path, "directory", () -> Files.deleteIfExists(path), "the directory " + path));
        return path;
    }
}
