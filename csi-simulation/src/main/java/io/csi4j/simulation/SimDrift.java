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
    static final ExternalNodeId FOREIGN_NODE = ExternalNodeId.of("elsewhere");

    private static final int ACTIONS = 8;

    private final SimWorld world;
    private final SplittableRandom random;
    /** What is attached though nobody here wanted it to be. */
    private final Set<VolumeOnNode> orphans = new TreeSet<>();
    /** What was so at any time. */
    private final Set<VolumeOnNode> formerOrphans = new TreeSet<>();
    /** What is not attached though it was, and should be. */
    private final Set<VolumeOnNode> missing = new TreeSet<>();
    /** What was so as long as its record stands. */
    private final Set<VolumeOnNode> wasMissing = new TreeSet<>();

    SimDrift(SimWorld world, SplittableRandom random) {
        this.world = world;
        this.random = random;
    }

    void begin(SimulationOptions options, SimServer server, SimVolumes volumes) {
        if (!world.traits().reconciles()) {
            return;
        }
        long max = options.chaos().toNanos();
        for (int i = 0; i < ACTIONS; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(max)), () -> act(server, volumes));
        }
    }

    private void act(SimServer server, SimVolumes volumes) {
        if (!world.faults().active()) {
            return;
        }
        switch (random.nextInt(5)) {
            case 0, 1 -> attach(volumes);
            case 2, 3 -> detachWanted(volumes);
            default -> {
                var unused = server.request(
                        "reconcile", engine -> engine.operator().reconcile(SimVolumes.ATTACHING, random.nextBoolean()));
            }
        }
    }

    /** From now on only the engine can clear away what is attached by hand; on nodes that are gone it is not asked to. */
    void settle(SimVolumes volumes) {
        if (!world.traits().reconciles()) {
            return;
        }
        for (VolumeOnNode location : List.copyOf(orphans)) {
            SimNode node = world.node(location.nodeId());
            ExternalVolumeId id = world.externalId(location.volume());
            if (node != null && node.removed() && id != null) {
                world.provider().detach(id, node.externalId);
                orphans.remove(location);
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
            if (canBecomeOrphan(volumes.find(key), node)) {
                attachOrphan(volumes.find(key).orElseThrow(), node);
                return;
            }
        }
    }

    private boolean canBecomeOrphan(Optional<Volume> known, SimNode node) {
        if (known.isEmpty()
                || known.get().phase() != VolumePhase.AVAILABLE
                || known.get().isOn(node.id)
                || !SimVolumes.attaches(known.get().key())) {
            return false;
        }
        ExternalVolumeId id = known.get().remoteId();
        return node.answers()
                && !world.provider().isAttached(id, node.externalId)
                && !world.provider().locks().isHeld(id.value())
                && world.topology().reaches(node, id);
    }

    private void attachOrphan(Volume volume, SimNode node) {
        VolumeOnNode location = new VolumeOnNode(volume.key(), node.id);
        try {
            world.capacity().admit(volume.remoteId(), node);
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
        world.coverage().fault("attached manually");
        world.trace().note("operator", "attaches " + volume.key().volumeId() + " to " + node.id + " manually");
        orphans.add(location);
        formerOrphans.add(location);
    }

    /** Detaches one that is wanted where it is. */
    private void detachWanted(SimVolumes volumes) {
        List<VolumeKey> keys = new ArrayList<>(volumes.declared());
        SimVolumes.shuffle(keys, random);
        for (VolumeKey key : keys) {
            if (detachWanted(volumes, key)) {
                return;
            }
        }
    }

    /** Detaches that volume from a node where it is wanted; answers whether there is one. */
    boolean detachWanted(SimVolumes volumes, VolumeKey key) {
        Optional<Volume> volume = volumes.find(key).filter(known -> known.phase() == VolumePhase.AVAILABLE);
        if (!world.traits().reconciles() || volume.isEmpty()) {
            return false;
        }
        for (Attachment attachment : volume.get().attachments()) {
            SimNode node = world.node(attachment.nodeId());
            ExternalVolumeId id = volume.get().remoteId();
            if (node != null
                    && attachment.state() == AttachmentState.PUBLISHED
                    && world.provider().isAttached(id, node.externalId)
                    && !world.provider().locks().isHeld(id.value())) {
                world.coverage().fault("detached manually");
                world.trace().note("operator", "detaches " + key.volumeId() + " from " + node.id + " manually");
                world.provider().detach(id, node.externalId);
                missing.add(new VolumeOnNode(key, node.id));
                wasMissing.add(new VolumeOnNode(key, node.id));
                return true;
            }
        }
        return false;
    }

    /** Whether that is attached though nobody here wanted it. */
    boolean isOrphan(VolumeKey volume, NodeId nodeId) {
        return orphans.contains(new VolumeOnNode(volume, nodeId));
    }

    /** Whether it may be on record although nobody claimed it there. */
    boolean mayBeRecordedAsOrphan(VolumeKey volume, NodeId nodeId) {
        VolumeOnNode location = new VolumeOnNode(volume, nodeId);
        return formerOrphans.contains(location)
                || world.allowedViolations().everAllowedAttachment(location)
                || world.allowedViolations().wasDetachRequested(volume, nodeId);
    }

    /** Whether that is not attached though it should be. */
    boolean isMissing(VolumeKey volume, NodeId nodeId) {
        return missing.contains(new VolumeOnNode(volume, nodeId));
    }

    /** Whether it may be published although it is on record that it is. */
    boolean wasMissing(VolumeKey volume, NodeId nodeId) {
        return wasMissing.contains(new VolumeOnNode(volume, nodeId));
    }

    boolean anyMissing(VolumeKey volume) {
        return missing.stream().anyMatch(location -> location.volume().equals(volume));
    }

    /** The engine published it, as it wants it. */
    void published(VolumeKey volume, NodeId nodeId) {
        VolumeOnNode location = new VolumeOnNode(volume, nodeId);
        orphans.remove(location);
        if (missing.remove(location)) {
            world.coverage().fault("published again");
        }
    }

    /** The engine detached it. */
    void unpublished(VolumeKey volume, NodeId nodeId) {
        VolumeOnNode location = new VolumeOnNode(volume, nodeId);
        orphans.remove(location);
        missing.remove(location);
    }

    /** Nothing is on record as a stray that nobody attached: pages are no consistent cut (R70). */
    void accepted(AttachmentCommand.RecordOrphan command, StateReader before) {
        boolean isNew = before.volume(command.key())
                .flatMap(volume -> volume.attachments().on(command.nodeId()))
                .isEmpty();
        if (!isNew) {
            return;
        }
        world.coverage().fault("orphan recorded");
        if (!mayBeRecordedAsOrphan(command.key(), command.nodeId())) {
            world.reportViolation("N8: " + command.key() + " is recorded as an orphan on " + command.nodeId()
                    + ", but was never attached there manually");
        }
    }

    /** Those of which nothing is on record any more are nobody's. */
    void onStateChanged(StateReader state) {
        if (wasMissing.isEmpty()) {
            return;
        }
        wasMissing.removeIf(location -> hasNoRow(state, location));
        missing.removeIf(location -> hasNoRow(state, location));
    }

    private static boolean hasNoRow(StateReader state, VolumeOnNode location) {
        return state.volume(location.volume())
                .flatMap(volume -> volume.attachments().on(location.nodeId()))
                .isEmpty();
    }
}
