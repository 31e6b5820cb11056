package io.csi4j.simulation.internal.operator;

import io.csi4j.core.csi.ExternalNodeId;
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
import java.util.List;
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
            world.machines(nodeId).stream().filter(SimNode::replaced).forEach(this::switchOff);
            if (node != null && node.answers() && !side.isBusy(node, mount.volume())) {
                var unused = side.unmount(node, mount.volume(), mount.allocationId())
                        .thenRun(() -> world.allowedViolations().mountRemoved(mount));
            } else if (node == null || (!node.mounts().contains(mount) && !side.mayMountLater(node))) {
                world.allowedViolations().mountRemoved(mount);
            }
        });
        for (VolumeOnNode location : world.allowedViolations().attachments()) {
            List<SimNode> machines = world.machines(location.nodeId());
            if (machines.stream().allMatch(machine -> detach(location, machine))) {
                world.allowedViolations().attachmentRemoved(location);
            }
        }
        // Schedules the next repair while work remains or the log may still apply a delayed override, because that
        // override will need manual work, too.
        if (!world.allowedViolations().isEmpty() || world.hasDelayedCommands()) {
            world.scheduler().after(RETRY_DELAY, this::repair);
        }
    }

    /** Detaches a volume from one machine, unless it is needed there; false if this has to wait. */
    private boolean detach(VolumeOnNode location, SimNode machine) {
        ExternalVolumeId id = world.externalId(location.volume());
        Optional<Attachment> row = volumes.find(location.volume())
                .flatMap(volume -> volume.attachments().on(location.nodeId()))
                .filter(attachment -> attachment.externalNodeId().equals(Optional.of(machine.externalId)));
        boolean overridden = row.flatMap(Attachment::operatorOverride).isPresent();
        if (id == null
                || machine.hasMounted(location.volume())
                || overridden
                || world.provider().locks().isHeld(id.value())) {
            return false;
        }
        // A volume that was claimed again stays attached, unless the old attachment blocks the new one.
        boolean stale = row.isEmpty()
                || world.provider()
                        .use(id, machine.externalId)
                        .filter(use -> !use.equals(SimProvider.Use.of(row.get())))
                        .isPresent();
        if (stale) {
            world.provider().detach(id, machine.externalId);
        }
        return true;
    }

    /** Switches off a machine that was replaced, and reports the end of its workloads. */
    public void switchOff(ExternalNodeId id) {
        SimNode machine = world.machine(id);
        if (machine != null) {
            switchOff(machine);
        }
    }

    private void switchOff(SimNode machine) {
        if (machine.powered()) {
            world.trace().note("operator", "switches off " + machine.externalId);
            machine.powerOff();
            workloads.report(machine);
        }
    }
}
