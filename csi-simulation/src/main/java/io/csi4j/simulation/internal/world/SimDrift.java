package io.csi4j.simulation.internal.world;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Leftover;
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

/**
 * Attaches and detaches volumes at the provider without the engine; the reconciliation has to find the differences.
 */
public final class SimDrift {
    /** A node of another cluster on the same storage, which the engine must ignore (R71). */
    public static final ExternalNodeId FOREIGN_NODE = ExternalNodeId.of("elsewhere");

    private static final int ACTIONS = 8;

    /**
     * Accepts a choice between yes and no, for example whether a reconciliation repairs the differences that it finds.
     */
    @FunctionalInterface
    public interface BooleanConsumer {
        void accept(boolean choice);
    }

    private final SimWorld world;
    private final SplittableRandom random;
    /** Attachments that were made manually and have no claim. */
    private final Set<VolumeOnNode> orphans = new TreeSet<>();
    /** All attachments that were orphans at any time. */
    private final Set<VolumeOnNode> formerOrphans = new TreeSet<>();
    /** Attachments that were removed manually although a claim needs them. */
    private final Set<VolumeOnNode> missing = new TreeSet<>();
    /** The attachments that the provider has lost at least once while the state had a row for them. */
    private final Set<VolumeOnNode> wasMissing = new TreeSet<>();

    public SimDrift(SimWorld world, SplittableRandom random) {
        this.world = world;
        this.random = random;
    }

    /**
     * Schedules the manual changes.
     *
     * @param reconcile starts a reconciliation by the engine; its argument says whether the engine repairs differences
     */
    public void begin(SimConfig options, BooleanConsumer reconcile, SimVolumes volumes) {
        if (!world.traits().reconciles() || world.traits().restores()) {
            return;
        }
        long max = options.chaos().toNanos();
        for (int i = 0; i < ACTIONS; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(max)), () -> act(reconcile, volumes));
        }
    }

    private void act(BooleanConsumer reconcile, SimVolumes volumes) {
        if (!world.faults().active()) {
            return;
        }
        switch (random.nextInt(5)) {
            case 0, 1 -> attach(volumes);
            case 2, 3 -> detachWanted(volumes);
            default -> reconcile.accept(random.nextBoolean());
        }
    }

    /**
     * Removes the orphaned attachments of removed nodes, because the engine does not reconcile such nodes, and adds one
     * more orphan. From now on, only the engine removes orphans.
     */
    public void settle(SimVolumes volumes) {
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

    /** Removes the orphaned attachments of a machine that is replaced: the engine knows them by its present id only. */
    public void replaced(SimNode former) {
        for (VolumeOnNode location : List.copyOf(orphans)) {
            ExternalVolumeId id = world.externalId(location.volume());
            if (location.nodeId().equals(former.id) && id != null) {
                world.provider().detach(id, former.externalId);
                orphans.remove(location);
            }
        }
    }

    /** Attaches a volume to a node without a claim. */
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
        } catch (Refusal refusal) {
            // The provider's own rules apply to manual attachments as well.
            return;
        }
        world.coverage().fault("attached manually");
        world.trace().note("operator", "attaches " + volume.key().volumeId() + " to " + node.id + " manually");
        orphans.add(location);
        formerOrphans.add(location);
    }

    /** Detaches a random volume from a node where it has a claim. */
    private void detachWanted(SimVolumes volumes) {
        List<VolumeKey> keys = new ArrayList<>(volumes.declared());
        SimVolumes.shuffle(keys, random);
        for (VolumeKey key : keys) {
            if (detachWanted(volumes, key)) {
                return;
            }
        }
    }

    /** Detaches the volume from a node where it has a claim; false if there is none. */
    public boolean detachWanted(SimVolumes volumes, VolumeKey key) {
        Optional<Volume> volume = volumes.find(key).filter(known -> known.phase() == VolumePhase.AVAILABLE);
        if (!world.traits().reconciles() || volume.isEmpty()) {
            return false;
        }
        for (Attachment attachment : volume.get().attachments()) {
            SimNode node = world.node(attachment.nodeId());
            ExternalVolumeId id = volume.get().remoteId();
            if (node != null
                    && attachment.externalNodeId().equals(Optional.of(node.externalId))
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

    /** Whether the volume is attached without a claim. */
    public boolean isOrphan(VolumeKey volume, NodeId nodeId) {
        return orphans.contains(new VolumeOnNode(volume, nodeId));
    }

    /** Whether the engine may record this attachment in the state although no claim needs it. */
    public boolean mayBeRecordedAsOrphan(VolumeKey volume, NodeId nodeId) {
        VolumeOnNode location = new VolumeOnNode(volume, nodeId);
        return formerOrphans.contains(location)
                || world.allowedViolations().everAllowedAttachment(location)
                || world.allowedViolations().wasDetachRequested(volume, nodeId)
                || world.backup().wasUnknown(volume, nodeId);
    }

    /** Whether the volume was detached manually and not yet attached again. */
    public boolean isMissing(VolumeKey volume, NodeId nodeId) {
        return missing.contains(new VolumeOnNode(volume, nodeId));
    }

    /**
     * Whether the provider has ever lost this attachment while the state had its present row for it. The engine may
     * then publish the volume again, although the attachment row says that the volume is published.
     */
    public boolean wasMissing(VolumeKey volume, NodeId nodeId) {
        return wasMissing.contains(new VolumeOnNode(volume, nodeId));
    }

    public boolean anyMissing(VolumeKey volume) {
        return missing.stream().anyMatch(location -> location.volume().equals(volume));
    }

    /**
     * Records that the engine has attached the volume to the node: the attachment is neither an orphan nor missing any
     * more.
     */
    public void published(VolumeKey volume, NodeId nodeId) {
        VolumeOnNode location = new VolumeOnNode(volume, nodeId);
        orphans.remove(location);
        if (missing.remove(location)) {
            world.coverage().fault("published again");
        }
    }

    /**
     * Records that the engine has detached the volume from the node: the attachment is neither an orphan nor missing
     * any more.
     */
    public void unpublished(VolumeKey volume, NodeId nodeId) {
        VolumeOnNode location = new VolumeOnNode(volume, nodeId);
        orphans.remove(location);
        missing.remove(location);
    }

    /**
     * Checks an attachment that the engine records as an orphan: an operator or the simulation must have caused it. A
     * mistake of the engine is possible here, because the pages of a listing are not a consistent snapshot (R70).
     */
    public void accepted(AttachmentCommand.RecordOrphan command, StateReader before) {
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

    /** Removes from the missing attachments those that the state no longer has. */
    public void onStateChanged(StateReader state) {
        if (wasMissing.isEmpty()) {
            return;
        }
        wasMissing.removeIf(location -> hasNoRow(state, location));
        missing.removeIf(location -> hasNoRow(state, location));
    }

    private static boolean hasNoRow(StateReader state, VolumeOnNode location) {
        for (Leftover leftover : state.leftovers()) {
            if (leftover.formerVolume().equals(location.volume())
                    && leftover.attachments().on(location.nodeId()).isPresent()) {
                return false;
            }
        }
        return state.volume(location.volume())
                .flatMap(volume -> volume.attachments().on(location.nodeId()))
                .isEmpty();
    }
}
