package io.csi4j.simulation;

import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Somebody attaches and detaches at the provider behind everybody's back, and the engine finds out. */
final class SimDrift {
    /** Whatever somebody else on the same storage has: none of the cluster's business (R71). */
    static final ExternalNodeId ELSEWHERE = ExternalNodeId.of("elsewhere");

    private static final int DEEDS = 8;

    private final SimWorld world;
    private final SplittableRandom random;
    /** What is attached though nobody here wanted it to be. */
    private final Set<SimExcuses.Place> strays = new TreeSet<>();
    /** What was so at any time. */
    private final Set<SimExcuses.Place> formerStrays = new TreeSet<>();
    /** What is not attached though it was, and should be. */
    private final Set<SimExcuses.Place> missing = new TreeSet<>();
    /** What was so as long as its record stands. */
    private final Set<SimExcuses.Place> wasMissing = new TreeSet<>();

    SimDrift(SimWorld world, SplittableRandom random) {
        this.world = world;
        this.random = random;
    }

    void begin(SimulationOptions options, SimServer server, SimVolumes volumes) {
        if (!world.traits().reconciles()) {
            return;
        }
        long most = options.chaos().toNanos();
        for (int i = 0; i < DEEDS; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(most)), () -> deed(server, volumes));
        }
    }

    private void deed(SimServer server, SimVolumes volumes) {
        if (!world.faults().happen()) {
            return;
        }
        switch (random.nextInt(5)) {
            case 0, 1 -> attach(volumes);
            case 2, 3 -> lose(volumes);
            default -> {
                var unused = server.ask(
                        "reconcile", engine -> engine.operator().reconcile(SimVolumes.ATTACHING, random.nextBoolean()));
            }
        }
    }

    /** From now on only the engine can clear away what is attached by hand; on nodes that are gone it is not asked to. */
    void calmDown(SimVolumes volumes) {
        if (!world.traits().reconciles()) {
            return;
        }
        for (SimExcuses.Place place : List.copyOf(strays)) {
            SimNode node = world.node(place.nodeId());
            ExternalVolumeId id = world.externalId(place.volume());
            if (node != null && node.removed() && id != null) {
                world.provider().detach(id, node.externalId);
                strays.remove(place);
            }
        }
        attach(volumes);
    }

    /** Attaches one to a node where it is not wanted. */
    private void attach(SimVolumes volumes) {
        List<VolumeKey> keys = new ArrayList<>(volumes.declared());
        SimVolumes.shuffle(keys, random);
        List<SimNode> nodes = new ArrayList<>(world.nodes().values());
        SimNode node = nodes.get(random.nextInt(nodes.size()));
        for (VolumeKey key : keys) {
            if (mayStray(volumes.known(key), node)) {
                stray(volumes.known(key).orElseThrow(), node);
                return;
            }
        }
    }

    private boolean mayStray(Optional<Volume> known, SimNode node) {
        if (known.isEmpty()
                || known.get().phase() != VolumePhase.AVAILABLE
                || known.get().isOn(node.id)
                || !SimVolumes.attaches(known.get().key())) {
            return false;
        }
        ExternalVolumeId id = known.get().remoteId();
        return node.answers()
                && !world.provider().isAttached(id, node.externalId)
                && !world.provider().turns().busy(id.value())
                && world.places().reaches(node, id);
    }

    private void stray(Volume volume, SimNode node) {
        SimExcuses.Place place = new SimExcuses.Place(volume.key(), node.id);
        try {
            world.room().enter(volume.remoteId(), node);
            world.provider()
                    .attach(
                            volume.remoteId(),
                            node.externalId,
                            new SimProvider.Use(
                                    volume.spec()
                                            .requestedCapabilities()
                                            .get(0)
                                            .toVolumeCapability(MountOptions.none()),
                                    false));
        } catch (SimCall.Refusal refusal) {
            // Nobody gets past the provider's own rules.
            return;
        }
        world.coverage().trouble("attached by hand");
        world.trace().note("operator", "attaches " + volume.key().volumeId() + " to " + node.id + " by hand");
        strays.add(place);
        formerStrays.add(place);
    }

    /** Detaches one that is wanted where it is. */
    private void lose(SimVolumes volumes) {
        List<VolumeKey> keys = new ArrayList<>(volumes.declared());
        SimVolumes.shuffle(keys, random);
        for (VolumeKey key : keys) {
            if (lose(volumes, key)) {
                return;
            }
        }
    }

    /** Detaches that volume from a node where it is wanted; answers whether there is one. */
    boolean lose(SimVolumes volumes, VolumeKey key) {
        Optional<Volume> volume = volumes.known(key).filter(known -> known.phase() == VolumePhase.AVAILABLE);
        if (!world.traits().reconciles() || volume.isEmpty()) {
            return false;
        }
        for (Attachment attachment : volume.get().attachments()) {
            SimNode node = world.node(attachment.nodeId());
            ExternalVolumeId id = volume.get().remoteId();
            if (node != null
                    && attachment.state() == AttachmentState.PUBLISHED
                    && world.provider().isAttached(id, node.externalId)
                    && !world.provider().turns().busy(id.value())) {
                world.coverage().trouble("detached by hand");
                world.trace().note("operator", "detaches " + key.volumeId() + " from " + node.id + " by hand");
                world.provider().detach(id, node.externalId);
                missing.add(new SimExcuses.Place(key, node.id));
                wasMissing.add(new SimExcuses.Place(key, node.id));
                return true;
            }
        }
        return false;
    }

    /** Whether that is attached though nobody here wanted it. */
    boolean isStray(VolumeKey volume, NodeId nodeId) {
        return strays.contains(new SimExcuses.Place(volume, nodeId));
    }

    /** Whether it may be on record although nobody claimed it there. */
    boolean wasStray(VolumeKey volume, NodeId nodeId) {
        SimExcuses.Place place = new SimExcuses.Place(volume, nodeId);
        return formerStrays.contains(place)
                || world.excuses().formerAttachment(place)
                || world.excuses().detachment(volume, nodeId);
    }

    /** Whether that is not attached though it should be. */
    boolean isMissing(VolumeKey volume, NodeId nodeId) {
        return missing.contains(new SimExcuses.Place(volume, nodeId));
    }

    /** Whether it may be published although it is on record that it is. */
    boolean wasMissing(VolumeKey volume, NodeId nodeId) {
        return wasMissing.contains(new SimExcuses.Place(volume, nodeId));
    }

    boolean anyMissing(VolumeKey volume) {
        return missing.stream().anyMatch(place -> place.volume().equals(volume));
    }

    /** The engine published it, as it wants it. */
    void published(VolumeKey volume, NodeId nodeId) {
        SimExcuses.Place place = new SimExcuses.Place(volume, nodeId);
        strays.remove(place);
        if (missing.remove(place)) {
            world.coverage().trouble("published again");
        }
    }

    /** The engine detached it. */
    void unpublished(VolumeKey volume, NodeId nodeId) {
        SimExcuses.Place place = new SimExcuses.Place(volume, nodeId);
        strays.remove(place);
        missing.remove(place);
    }

    /** Nothing is on record as a stray that nobody attached: pages are no consistent cut (R70). */
    void accepted(AttachmentCommand.RecordOrphan command, StateReader before) {
        boolean isNew = before.volume(command.key())
                .flatMap(volume -> volume.attachments().on(command.nodeId()))
                .isEmpty();
        if (!isNew) {
            return;
        }
        world.coverage().trouble("stray on record");
        if (!wasStray(command.key(), command.nodeId())) {
            world.violated("N8: " + command.key() + " is said to be astray on " + command.nodeId()
                    + ", and nobody attached it there");
        }
    }

    /** Those of which nothing is on record any more are nobody's. */
    void changed(StateReader state) {
        if (wasMissing.isEmpty()) {
            return;
        }
        wasMissing.removeIf(place -> gone(state, place));
        missing.removeIf(place -> gone(state, place));
    }

    private static boolean gone(StateReader state, SimExcuses.Place place) {
        return state.volume(place.volume())
                .flatMap(volume -> volume.attachments().on(place.nodeId()))
                .isEmpty();
    }
}
