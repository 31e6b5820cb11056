package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.PathProbe.Finding;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Looks whether mounts answer. */
final class NodeCheck {
    private NodeCheck() {}

    static CompletableFuture<@Nullable Void> look(LanePorts ports, NodeLookout lookout, Collection<VolumeLane> lanes) {
        CompletableFuture<@Nullable MountPoints> table =
                CompletableFuture.supplyAsync(() -> lookout.table().orElse(null), ports.executor());
        return table.thenCompose(points -> {
            List<CompletableFuture<?>> looks = new ArrayList<>();
            for (VolumeLane lane : lanes) {
                lane.wake();
                if (points != null) {
                    looks.addAll(look(ports, lane, points));
                }
            }
            return CompletableFuture.allOf(looks.toArray(CompletableFuture<?>[]::new));
        });
    }

    private static List<CompletableFuture<?>> look(LanePorts ports, VolumeLane lane, MountPoints points) {
        List<CompletableFuture<?>> looks = new ArrayList<>();
        VolumeEntry entry = lane.view().entry();
        StagingEntry staging = entry.staging();
        if (staging != null && staging.phase() == StagingPhase.STAGED) {
            Path path = ports.paths().staging(lane.key, staging.terms());
            looks.add(look(ports, lane, points, new Mount(path, null, VolumeEntry::reset)));
        }
        for (UserEntry user : entry.users()) {
            if (user.phase() == UserPhase.PUBLISHED) {
                AllocationId allocation = user.allocationId();
                Path path = ports.paths().target(lane.key, allocation);
                looks.add(look(ports, lane, points, new Mount(path, allocation, now -> now.resetUser(allocation))));
            }
        }
        return looks;
    }

    private record Mount(Path path, @Nullable AllocationId allocation, UnaryOperator<VolumeEntry> repair) {}

    private static CompletableFuture<?> look(LanePorts ports, VolumeLane lane, MountPoints points, Mount mount) {
        if (!points.contains(mount.path())) {
            return CompletableFuture.completedFuture(null);
        }
        return ports.probe().probe(mount.path()).thenAccept(finding -> {
            if (finding == Finding.NO_ANSWER) {
                ports.reporter()
                        .tell(
                                Kind.MOUNT_UNRESPONSIVE,
                                lane.key,
                                mount.allocation(),
                                "Volume " + lane.key + " does not answer at " + mount.path()
                                        + "; nothing is done, since that proves nothing");
            } else if (finding == Finding.BROKEN) {
                boolean repair = ports.options().brokenMounts() == BrokenMounts.REPAIR;
                ports.reporter()
                        .tell(
                                Kind.MOUNT_BROKEN,
                                lane.key,
                                mount.allocation(),
                                "Volume " + lane.key
                                        + " fails at " + mount.path()
                                        + (repair ? "; it is being mounted again" : "; unmount it and mount it again"));
                if (repair) {
                    lane.change(mount.repair());
                }
            }
        });
    }
}
