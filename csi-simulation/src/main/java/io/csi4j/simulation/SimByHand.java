package io.csi4j.simulation;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.volume.Attachment;
import java.time.Duration;
import java.util.Optional;

/** What an operator's words made the operator's own work: to unmount, and to detach at the provider. */
final class SimByHand {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final Duration AGAIN = Duration.ofSeconds(20);

    private final SimWorld world;
    private final SimVolumes volumes;
    private final SimWorkloads workloads;

    SimByHand(SimWorld world, SimVolumes volumes, SimWorkloads workloads) {
        this.world = world;
        this.volumes = volumes;
        this.workloads = workloads;
    }

    void soon() {
        world.scheduler().soon(SOON, this::begin);
    }

    /** What words were given for is done at last; a call that is being worked on there ends first. */
    void begin() {
        world.excuses().mounts().forEach((mount, nodeId) -> {
            SimNode node = world.node(nodeId);
            workloads.stop(mount.allocationId());
            if (node != null
                    && node.answers()
                    && !node.turns().busy(mount.volume().toString())) {
                node.unmount(mount);
                world.excuses().unmounted(mount);
            } else if (node == null || !node.mounts().contains(mount)) {
                world.excuses().unmounted(mount);
            }
        });
        for (SimExcuses.Place place : world.excuses().attachments()) {
            ExternalVolumeId id = world.externalId(place.volume());
            SimNode node = world.node(place.nodeId());
            Optional<Attachment> record = volumes.known(place.volume())
                    .flatMap(volume -> volume.attachments().on(place.nodeId()));
            boolean leaving = record.flatMap(Attachment::operatorOverride).isPresent();
            boolean mounted = node != null && node.hasMounted(place.volume());
            if (id == null
                    || node == null
                    || mounted
                    || leaving
                    || world.provider().turns().busy(id.value())) {
                continue;
            }
            // A volume that was claimed anew meanwhile is left, unless what stands in its way is the old publication.
            boolean old = record.isEmpty()
                    || world.provider()
                            .use(id, node.externalId)
                            .filter(use -> !use.equals(SimProvider.Use.of(record.get())))
                            .isPresent();
            if (old) {
                world.provider().detach(id, node.externalId);
            }
            world.excuses().detached(place);
        }
        // A word that was given may be on record only later.
        if (!world.excuses().isEmpty() || world.commandsOnTheirWay()) {
            world.scheduler().after(AGAIN, this::begin);
        }
    }
}
