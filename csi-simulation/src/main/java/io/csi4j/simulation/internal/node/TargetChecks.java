package io.csi4j.simulation.internal.node;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.node.MountedVolume;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimWorld;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Checks that each mount of a volume by one allocation has a target of its own, with its own mode and flags, and that the
 * volume is staged with the flags of the claim.
 */
final class TargetChecks {
    private final SimWorld world;
    private final SimKernel kernel;

    TargetChecks(SimWorld world, SimKernel kernel) {
        this.world = world;
        this.kernel = kernel;
    }

    /** Checks the targets that an agent has reported for the different mounts of a volume. */
    void reported(SimNode.Mount mount, VolumeGrant grant, Map<ClaimRequest, MountedVolume> targets) {
        String where = mount.volume() + " of " + mount.allocationId() + " on " + kernel.node().id;
        List<Path> paths =
                targets.values().stream().map(MountedVolume::targetPath).toList();
        if (paths.stream().distinct().count() < paths.size()) {
            world.reportViolation("S23: different mounts of " + where + " have the target " + paths.get(0));
        }
        MountOptions own = grant.view().volume().spec().mountOptions();
        targets.forEach((request, target) -> {
            NodePublishVolumeRequest call = kernel.published(target.targetPath().toString());
            // Skips a target that was unmounted before this report of the agent arrived.
            if (call != null) {
                checkTarget(where, request, call, own);
                if (!call.volumeCapability().isBlock()) {
                    kernel.labels()
                            .handedOut(
                                    where,
                                    own.overriddenBy(request.mountOptions()).securityLabel(),
                                    target);
                }
                if (kernel.renewals().knowsChange(call.targetPath())) {
                    world.reportViolation("I16: a mount that its plugin changed is handed out: " + where);
                }
                checkGroup(where, mount, own.overriddenBy(request.mountOptions()), call);
                call.stagingTargetPath().map(kernel::staged).ifPresent(staged -> {
                    if (differs(staged, grant.mountOptions())) {
                        world.reportViolation("S23: " + where + " is staged with other flags than its claim has");
                    }
                });
            }
        });
    }

    private void checkTarget(String where, ClaimRequest request, NodePublishVolumeRequest call, MountOptions own) {
        boolean reads = request.mode() == ClaimMode.READ
                || request.capability().accessMode().readerOnly();
        if (reads != call.readonly()) {
            world.reportViolation("S23: " + where + " is published to " + (call.readonly() ? "read" : "write")
                    + ", and its mount is to " + request.mode());
        }
        if (differs(call.volumeCapability(), own.overriddenBy(request.mountOptions()))) {
            world.reportViolation("S23: " + where + " is published with other flags than its mount has");
        }
    }

    /** The simulated plugins do not have VOLUME_MOUNT_GROUP, so the node gives the files to the group of the claim. */
    private void checkGroup(String where, SimNode.Mount mount, MountOptions requested, NodePublishVolumeRequest call) {
        boolean sent = call.volumeCapability()
                .mountVolume()
                .filter(mounted -> !mounted.volumeMountGroup().isEmpty())
                .isPresent();
        if (sent) {
            world.reportViolation(
                    "R42: " + where + " is published with a group by a plugin without VOLUME_MOUNT_GROUP");
        }
        boolean writes = !call.volumeCapability().isBlock() && !call.readonly();
        if (writes && requested.groupNumber().isPresent() && !overridden(mount)) {
            Long since = kernel.changedSince(call.targetPath());
            String difference = since == null
                    ? "no change of them has ended"
                    : world.files()
                            .of(call.volumeId())
                            .difference(requested.groupNumber().getAsLong(), requested.ownership(), since);
            if (!difference.isEmpty()) {
                world.reportViolation("I16: a mount is handed out before all of its files belong to its group: " + where
                        + ", " + difference);
            }
        }
        if (writes) {
            world.files().write(call.volumeId());
        }
    }

    /** Whether an operator took the responsibility for another mount of the volume, which may still change its files. */
    private boolean overridden(SimNode.Mount mount) {
        return world.allowedViolations().mounts().keySet().stream()
                .anyMatch(other -> other.volume().equals(mount.volume()));
    }

    /** Whether a capability has other flags than the options; a block device has none. */
    private static boolean differs(VolumeCapability capability, MountOptions options) {
        return capability
                .mountVolume()
                .filter(mounted -> !SimLabels.others(mounted.mountFlags())
                        .equals(options.mountFlags().asList()))
                .isPresent();
    }
}
