package io.csi4j.simulation;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.AccessRules;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.Volume;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What must hold after each step, whatever happened in it. */
final class SimChecks {
    private final SimWorld world;
    private long checked = -1;
    private long seen = -1;

    SimChecks(SimWorld world) {
        this.world = world;
    }

    void afterStep() {
        StateReader state = world.store().snapshot();
        boolean newState = state.index() != checked;
        long changes = changes();
        if (!newState && changes == seen) {
            return;
        }
        checked = state.index();
        seen = changes;
        for (Map.Entry<String, VolumeKey> entry : world.volumes().entrySet()) {
            Optional<Volume> volume = state.volume(entry.getValue());
            if (newState
                    && volume.isPresent()
                    && !AccessRules.satisfied(volume.get().claims())) {
                world.violated("I1: the claims of " + entry.getValue() + " break its access mode");
            }
            attached(entry.getKey(), entry.getValue(), volume);
        }
        for (SimNode node : world.nodes().values()) {
            for (SimNode.Mount mount : node.mounts()) {
                mounted(state, node, mount);
            }
        }
    }

    /** What changed outside of the state. */
    private long changes() {
        long changes = world.provider().changes();
        for (SimNode node : world.nodes().values()) {
            changes += node.changes();
        }
        return changes;
    }

    /** What the provider has attached is on record, or on an operator's: else nobody would ever detach it. */
    private void attached(String externalId, VolumeKey key, Optional<Volume> volume) {
        Set<String> nodes = world.provider().nodes(externalId);
        for (String node : nodes) {
            NodeId nodeId = SimWorld.nodeId(ExternalNodeId.of(node));
            boolean known =
                    volume.flatMap(there -> there.attachments().on(nodeId)).isPresent();
            if (!known
                    && !world.excuses().attachment(key, nodeId)
                    && !world.drift().isStray(key, nodeId)) {
                world.violated("I6: " + key + " is attached to " + node + " and no record says so");
            }
        }
    }

    /** What is mounted is staged, and claimed, and attached. */
    private void mounted(StateReader state, SimNode node, SimNode.Mount mount) {
        if (!node.isStaged(mount.volume())) {
            world.violated("R47: " + mount.volume() + " is unstaged on " + node.id + " while it is mounted there for "
                    + mount.allocationId());
        }
        if (world.excuses().mount(mount.volume(), mount.allocationId())) {
            return;
        }
        Optional<Volume> volume = state.volume(mount.volume());
        boolean claimed = volume.isPresent()
                && volume.get()
                        .claims()
                        .get(mount.allocationId())
                        .filter(claim -> claim.nodeId().equals(node.id))
                        .isPresent();
        if (!claimed) {
            world.violated("I6: " + mount.volume() + " is mounted for " + mount.allocationId() + " on " + node.id
                    + " and its claim is gone");
        }
        Optional<AttachmentMode> as = node.mountedAs(mount);
        if (claimed
                && !as.equals(volume.flatMap(known -> known.claims().get(mount.allocationId()))
                        .map(claim -> claim.capability().attachmentMode()))) {
            world.violated("R96: " + mount.volume() + " is there as " + as + " for " + mount.allocationId() + " on "
                    + node.id + ", and not as claimed");
        }
        boolean onePath = volume.flatMap(Volume::currentCapability)
                .filter(capability -> capability.accessMode().onePath())
                .isPresent();
        boolean beside = node.mounts().stream()
                .anyMatch(other -> other.volume().equals(mount.volume())
                        && !other.equals(mount)
                        && !world.excuses().mount(other.volume(), other.allocationId()));
        if (onePath && beside) {
            world.violated("R89: " + mount.volume() + " is mounted twice on " + node.id);
        }
        boolean attaches = SimVolumes.attaches(mount.volume()) && !world.drift().isMissing(mount.volume(), node.id);
        ExternalVolumeId externalId = world.externalId(mount.volume());
        if (attaches && (externalId == null || !world.provider().isAttached(externalId, node.externalId))) {
            world.violated("I3: " + mount.volume() + " is mounted on " + node.id + " and not attached there");
        } else if (attaches
                && externalId != null
                && world.provider()
                        .use(externalId, node.externalId)
                        .filter(use -> use.capability().isBlock() == as.equals(Optional.of(AttachmentMode.BLOCK)))
                        .isEmpty()) {
            world.violated(
                    "R96: " + mount.volume() + " is there as " + as + " on " + node.id + ", and not attached as that");
        }
    }
}
