package io.csi4j.testkit.sim;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.AccessRules;
import io.csi4j.core.volume.Volume;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What must hold after each step, whatever happened in it. */
final class SimChecks {
    private final SimWorld world;
    private long checked = -1;

    SimChecks(SimWorld world) {
        this.world = world;
    }

    void afterStep() {
        StateReader state = world.store().snapshot();
        boolean newState = state.index() != checked;
        checked = state.index();
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

    /** What the provider has attached is on record: else nobody would ever detach it. */
    private void attached(String externalId, VolumeKey key, Optional<Volume> volume) {
        Set<String> nodes = world.provider().nodes(externalId);
        for (String node : nodes) {
            boolean known = volume.flatMap(there -> there.attachments().on(SimWorld.nodeId(ExternalNodeId.of(node))))
                    .isPresent();
            if (!known) {
                world.violated("I6: " + key + " is attached to " + node + " and no record says so");
            }
        }
    }

    /** What is mounted is claimed, and attached. */
    private void mounted(StateReader state, SimNode node, SimNode.Mount mount) {
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
        boolean attaches = !mount.volume().volumeId().value().startsWith(SimHost.UNATTACHED);
        if (attaches && !world.provider().isAttached(SimWorld.externalId(mount.volume()), node.externalId)) {
            world.violated("I3: " + mount.volume() + " is mounted on " + node.id + " and not attached there");
        }
    }
}
