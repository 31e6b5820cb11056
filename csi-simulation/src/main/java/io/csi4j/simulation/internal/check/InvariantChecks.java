package io.csi4j.simulation.internal.check;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AccessRules;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.Volume;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks the invariants after each step of the simulation. */
public final class InvariantChecks {
    private final SimWorld world;
    private long lastIndex = -1;
    private long lastChanges = -1;
    private int lastRestores;

    public InvariantChecks(SimWorld world) {
        this.world = world;
    }

    public void afterStep() {
        afterStep(world.store().snapshot());
    }

    /** Checks the world with a state that a test may have changed. */
    void afterStep(StateReader state) {
        boolean newState = state.index() != lastIndex || world.backup().restores() != lastRestores;
        long changes = changes();
        if (!newState && changes == lastChanges) {
            return;
        }
        lastIndex = state.index();
        lastRestores = world.backup().restores();
        world.backup().afterStep(state);
        lastChanges = changes;
        world.made().afterStep(state);
        for (Map.Entry<String, VolumeKey> entry : world.volumes().entrySet()) {
            Set<String> attached = world.provider().nodes(entry.getKey());
            if (!newState && attached.isEmpty()) {
                continue;
            }
            Optional<Volume> volume = world.volume(state, ExternalVolumeId.of(entry.getKey()));
            if (newState
                    && volume.isPresent()
                    && !AccessRules.satisfied(granted(volume.get().claims()))) {
                world.reportViolation("I1: the claims of " + entry.getValue() + " break its access mode");
            }
            checkAttachments(state, entry.getKey(), entry.getValue(), volume, attached);
        }
        for (SimNode node : world.machines()) {
            for (SimNode.Mount mount : node.mounts()) {
                checkMount(state, node, mount);
            }
        }
    }

    /**
     * Returns the claims that the engine has granted. A claim that was adopted shows what a node has mounted, for example
     * after a wrong statement of an operator; nothing was granted with it.
     */
    private static Claims granted(Claims claims) {
        Claims granted = claims;
        for (Claim claim : claims) {
            if (claim.adopted()) {
                granted = granted.without(claim.allocationId());
            }
        }
        return granted;
    }

    /** Counts changes at the provider and on the nodes. */
    private long changes() {
        long changes = world.provider().changes();
        for (SimNode node : world.machines()) {
            changes += node.changes();
        }
        return changes;
    }

    /**
     * Checks that the state has a row for each attachment at the provider. Without a row, the engine would never detach
     * the volume.
     */
    private void checkAttachments(
            StateReader state, String externalId, VolumeKey key, Optional<Volume> volume, Set<String> nodes) {
        for (String node : nodes) {
            NodeId nodeId = SimWorld.nodeId(ExternalNodeId.of(node));
            boolean recorded = volume.flatMap(existing -> existing.attachments().on(nodeId))
                            .filter(attachment ->
                                    attachment.externalNodeId().equals(Optional.of(ExternalNodeId.of(node))))
                            .isPresent()
                    || isLeftAttached(state, externalId, nodeId);
            if (!recorded
                    && !world.allowedViolations().allowsAttachment(key, nodeId)
                    && !world.backup().isUnknown(externalId, ExternalNodeId.of(node))
                    && !world.drift().isOrphan(key, nodeId)) {
                world.reportViolation("I6: " + key + " is attached to " + node + " without a row");
            }
        }
    }

    private static boolean isLeftAttached(StateReader state, String externalId, NodeId nodeId) {
        for (Leftover leftover : state.leftovers()) {
            if (leftover.externalVolumeId().value().equals(externalId)
                    && leftover.attachments().on(nodeId).isPresent()) {
                return true;
            }
        }
        return false;
    }

    private static boolean isLeftMounted(StateReader state, SimNode node, SimNode.Mount mount) {
        for (Leftover leftover : state.leftovers()) {
            boolean left = leftover.claims()
                    .get(mount.allocationId())
                    .filter(claim -> claim.nodeId().equals(node.id)
                            && claim.formerVolume().equals(Optional.of(mount.volume())))
                    .isPresent();
            if (left) {
                return true;
            }
        }
        return false;
    }

    /** Checks that a mounted volume is staged, claimed and attached. */
    private void checkMount(StateReader state, SimNode node, SimNode.Mount mount) {
        if (!node.isStaged(mount.volume()) && !SimVolumes.isInline(mount.volume())) {
            world.reportViolation("R47: " + mount.volume() + " is unstaged on " + node.id
                    + " while it is mounted there for " + mount.allocationId());
        }
        if (world.allowedViolations().allowsMount(mount.volume(), mount.allocationId())) {
            return;
        }
        if (isLeftMounted(state, node, mount)) {
            return;
        }
        Optional<Volume> volume = world.volumeOn(state, node, mount.volume());
        boolean claimed = volume.isPresent()
                && volume.get()
                        .claims()
                        .get(mount.allocationId())
                        .filter(claim -> claim.nodeId().equals(node.id)
                                && claim.externalNodeId().equals(Optional.of(node.externalId)))
                        .isPresent();
        // A call of the plugin from before a restore can still take effect on a node that has not said what it has.
        // It can also do so while the report of the node names the use, and no claim represents it yet.
        boolean reported = state.node(node.id)
                .map(Node::ledger)
                .filter(ledger ->
                        ledger.missing() || volume.filter(ledger::mayUse).isPresent())
                .isPresent();
        boolean unknown = reported || world.backup().isUnknown(node, mount);
        if (!claimed && !unknown) {
            world.reportViolation("I6, I20: " + mount.volume() + " is mounted for " + mount.allocationId() + " on "
                    + node.externalId + " without a claim of this machine");
        }
        if (claimed
                && !unknown
                && volume.flatMap(known -> known.claims().get(mount.allocationId()))
                        .filter(Claim::nodeDetached)
                        .isPresent()) {
            world.reportViolation("I6: " + mount.volume() + " is mounted for " + mount.allocationId() + " on " + node.id
                    + " while its claim counts as detached from the node");
        }
        Optional<AttachmentMode> mode = node.mountedAs(mount);
        if (claimed
                && !mode.equals(volume.flatMap(recorded -> recorded.claims().get(mount.allocationId()))
                        .map(claim -> claim.capability().attachmentMode()))) {
            world.reportViolation("R96: " + mount.volume() + " is mounted as " + mode + " for " + mount.allocationId()
                    + " on " + node.id + ", which is not the claimed mode");
        }
        // After a restore, the state may have claims of other capabilities beside that of the mount.
        boolean onePath = volume.flatMap(known -> known.claims().get(mount.allocationId()))
                .filter(claim -> claim.capability().accessMode().onePath())
                .isPresent();
        boolean mountedTwice = node.mounts().stream()
                .anyMatch(other -> other.volume().equals(mount.volume())
                        && !other.equals(mount)
                        && !world.allowedViolations().allowsMount(other.volume(), other.allocationId()));
        if (onePath && mountedTwice) {
            world.reportViolation("R89: " + mount.volume() + " is mounted twice on " + node.id);
        }
        int targets = node.targets(mount).size();
        if (onePath && targets > 1) {
            world.reportViolation("R89: " + mount.volume() + " has " + targets + " targets for " + mount.allocationId()
                    + " on " + node.id + ", and its access mode allows one");
        }
        boolean attaches = SimVolumes.attaches(mount.volume()) && !world.drift().isMissing(mount.volume(), node.id);
        ExternalVolumeId externalId = world.idOn(node, mount.volume());
        if (attaches && (externalId == null || !world.provider().isAttached(externalId, node.externalId))) {
            world.reportViolation("I3: " + mount.volume() + " is mounted on " + node.id + " and not attached there");
        } else if (attaches
                && externalId != null
                && world.provider()
                        .use(externalId, node.externalId)
                        .filter(use -> use.capability().isBlock() == mode.equals(Optional.of(AttachmentMode.BLOCK)))
                        .isEmpty()) {
            world.reportViolation("R96: " + mount.volume() + " is mounted as " + mode + " on " + node.id
                    + ", but attached with another mode");
        }
    }
}
