package io.csi4j.simulation.internal.node;

import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountedVolume;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The security labels of the mounts of one machine. Some plugins drop a label. */
final class SimLabels {
    /** One in so many mounts with a label is made without it. */
    private static final int DROPS = 8;

    private final SimWorld world;
    private final SimKernel kernel;
    /** The labels of the mount points that have one. */
    private final Map<String, String> mounted = new HashMap<>();

    SimLabels(SimWorld world, SimKernel kernel) {
        this.world = world;
        this.kernel = kernel;
    }

    /** Returns the label that a call sends to a plugin; empty: none. */
    static String sent(VolumeCapability capability) {
        return capability.mountVolume().stream()
                .flatMap(mount -> mount.mountFlags().asList().stream())
                .filter(SecurityLabel::isSetBy)
                .map(flag -> flag.substring(flag.indexOf('=') + 1).replace("\"", ""))
                .findFirst()
                .orElse("");
    }

    /** Returns the flags without a label. */
    static List<String> others(MountFlags flags) {
        return flags.asList().stream()
                .filter(flag -> !SecurityLabel.isSetBy(flag))
                .toList();
    }

    /** Records a new mount, with the label of the call or without it. */
    void mounted(String path, VolumeCapability capability) {
        String label = sent(capability);
        if (label.isEmpty()) {
            return;
        }
        world.coverage().operation("mount with a label");
        if (world.faults().active() && world.scheduler().choose(DROPS) == 0) {
            world.coverage().fault("label dropped by a plugin");
        } else {
            mounted.put(path, label);
        }
    }

    void unmounted(String path) {
        mounted.remove(path);
    }

    void reboot() {
        mounted.clear();
    }

    /** Returns mount points with their labels. */
    MountPoints in(MountPoints points, Function<String, Path> paths) {
        Map<Path, String> contexts = new HashMap<>();
        mounted.forEach((path, label) -> contexts.put(paths.apply(path), label));
        return points.withContexts(contexts);
    }

    /** Checks a NodeStageVolume when a running agent makes it. */
    void stages(NodeStageVolumeRequest request) {
        VolumeCapability before = kernel.staged(request.stagingTargetPath());
        if (before != null && !sent(before).equals(sent(request.volumeCapability()))) {
            world.reportViolation("I16: a volume is staged again with another label: " + request.stagingTargetPath());
        }
    }

    /** Checks a NodePublishVolume when a running agent makes it. */
    void publishes(NodePublishVolumeRequest request, SimNode.Mount mount) {
        String path = request.targetPath();
        if (request.volumeCapability().isBlock() || hasTwoLabels(request, mount)) {
            return;
        }
        String label = sent(request.volumeCapability());
        request.stagingTargetPath().map(kernel::staged).ifPresent(staged -> {
            if (!sent(staged).equals(label)) {
                world.reportViolation("I16: a target is published with another label than its staging: " + path);
            }
        });
    }

    /** Reports a violation if another target of the volume, or a claim with another target, has another label. */
    private boolean hasTwoLabels(NodePublishVolumeRequest request, SimNode.Mount mount) {
        boolean overridden = world.allowedViolations().mounts().keySet().stream()
                .anyMatch(other -> other.volume().equals(mount.volume()));
        Optional<MountOptions> wanted = wanted(mount);
        boolean claimed = wanted.isPresent()
                && kernel.node().mounts().stream()
                        .filter(other -> other.volume().equals(mount.volume()) && !other.equals(mount))
                        .flatMap(other -> wanted(other).stream())
                        .anyMatch(other ->
                                !other.securityLabel().equals(wanted.get().securityLabel()));
        boolean sent = kernel.targets().stream()
                .filter(other -> other.volumeId().equals(request.volumeId())
                        && !other.targetPath().equals(request.targetPath())
                        && !other.volumeCapability().isBlock())
                .anyMatch(other -> !sent(other.volumeCapability()).equals(sent(request.volumeCapability())));
        if ((claimed || sent) && !overridden) {
            world.reportViolation("I16: a volume has two labels on a node: " + request.targetPath());
            return true;
        }
        return false;
    }

    /** Returns the options that the claim of a mount has asked for, with the label; empty if they are not known. */
    private Optional<MountOptions> wanted(SimNode.Mount mount) {
        return world.volumeOn(world.store().snapshot(), kernel.node(), mount.volume())
                .flatMap(volume -> volume.claims().get(mount.allocationId()))
                .filter(claim -> !claim.adopted() && claim.capability().attachmentMode() == AttachmentMode.MOUNT)
                .map(Claim::mountOptions);
    }

    /** Checks a mount with the label of its request when it is handed out. */
    void handedOut(String where, Optional<SecurityLabel> requested, MountedVolume target) {
        String actual = mounted.getOrDefault(target.targetPath().toString(), "");
        boolean byMount = requested.isPresent()
                && world.store()
                        .snapshot()
                        .pluginProfile(SimVolumes.pluginOf(target.volume()))
                        .filter(PluginProfile::securityLabel)
                        .isPresent();
        String expected = byMount ? requested.get().context() : "";
        if (target.labelApplied() != byMount || !actual.equals(expected)) {
            world.reportViolation("I16: the label of a mount is " + actual + " instead of " + expected + ": " + where);
        }
    }
}
