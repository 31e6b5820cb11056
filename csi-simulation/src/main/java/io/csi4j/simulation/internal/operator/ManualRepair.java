package io.csi4j.simulation.internal.operator;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.volume.Attachment;
import io.csi4j.simulation.internal.host.SimWorkloads;
import io.csi4j.simulation.internal.node.NodeSide;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimProvider;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import io.csi4j.simulation.internal.world.VolumeOnNode;
import java.time.Duration;
import java.util.Optional;

/** The work that an operator has to do after an override: unmount the volume, and detach it at the provider. */
public final class ManualRepair {
    private static final Duration MAX_DELAY = Duration.ofMinutes(2);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(20);

    private final SimWorld world;
    private final NodeSide side;
    private final SimVolumes volumes;
    private final SimWorkloads workloads;

    public ManualRepair(SimWorld world, NodeSide side, SimVolumes volumes, SimWorkloads workloads) {
        this.world = world;
        this.side = side;
        this.volumes = volumes;
        this.workloads = workloads;
    }

    public void startSoon() {
        world.scheduler().within(MAX_DELAY, this::repair);
    }

    /**
     * Does the manual work that all overrides require. A volume with a call in progress is left out, and is tried again
     * later.
     */
    public void repair() {
        world.allowedViolations().mounts().forEach((mount, nodeId) -> {
            SimNode node = world.node(nodeId);
            workloads.stop(mount.allocationId());
            if (node != null && node.answers() && !side.isBusy(node, mount.volume())) {
                var unused = side.unmount(node, mount.volume(), mount.allocationId())
                        .thenRun(() -> world.allowedViolations().mountRemoved(mount));
            } else if (node == null || (!node.mounts().contains(mount) && !side.mayMountLater(node))) {
                world.allowedViolations().mountRemoved(mount);
            }
        });
        for (VolumeOnNode location : world.allowedViolations().attachments()) {
            ExternalVolumeId id = world.externalId(location.volume());
            SimNode node = world.node(location.nodeId());
            Optional<Attachment> row = volumes.find(location.volume())
                    .flatMap(volume -> volume.attachments().on(location.nodeId()));
            boolean overridden = row.flatMap(Attachment::operatorOverride).isPresent();
            boolean mounted = node != null && node.hasMounted(location.volume());
            if (id == null
                    || node == null
                    || mounted
                    || overridden
                    || world.provider().locks().isHeld(id.value())) {
                continue;
            }
            // A volume that was claimed again stays attached, unless the old attachment blocks the new one.
            boolean stale = row.isEmpty()
                    || world.provider()
                            .use(id, node.externalId)
                            .filter(use -> !use.equals(SimProvider.Use.of(row.get())))
                            .isPresent();
            if (stale) {
                world.provider().detach(id, node.externalId);
            }
            world.allowedViolations().attachmentRemoved(location);
        }
        // Schedules the next repair while work remains or the log may still apply a delayed override, because that
        // override will need manual work, too.
        if (!world.allowedViolations().isEmpty() || world.hasDelayedCommands()) {
            world.scheduler().after(RETRY_DELAY, this::repair);
        }
    }
}
