package io.csi4j.simulation.internal.world;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.simulation.internal.time.SimProcess;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Checks that no grace period ends too early. A claim on a node that is out of reach counts as detached only if
 * the node said so earlier, an operator has overridden it, or this leader has led, and the node had its status, for the
 * whole grace period.
 */
public final class GraceCheck {
    private final SimWorld world;
    private final Map<NodeId, Since> statuses = new HashMap<>();
    private final Set<SimNode.Mount> detached = new HashSet<>();

    private record Since(long index, Duration at) {}

    GraceCheck(SimWorld world) {
        this.world = world;
    }

    /** Remembers since when each node has its status. */
    void onStateChanged(StateReader state) {
        Duration now = world.scheduler().elapsed();
        for (Node node : state.nodes()) {
            statuses.compute(
                    node.id(),
                    (id, before) -> before != null && before.index == node.modifyIndex()
                            ? before
                            : new Since(node.modifyIndex(), now));
        }
    }

    /** Forgets the indexes of the states that were lost. */
    void restored(StateReader state) {
        statuses.clear();
        onStateChanged(state);
    }

    /** Records that a node has said that an allocation no longer uses a volume there. */
    public void saidByNode(VolumeKey volume, AllocationId allocation) {
        detached.add(new SimNode.Mount(volume, allocation));
    }

    /**
     * Checks a command of a server.
     *
     * @param process the process of the server
     * @param state the state that the server has read
     */
    public void onSubmit(SimProcess process, StateReader state, Command command) {
        if (command instanceof Batch batch) {
            batch.commands().forEach(part -> onSubmit(process, state, part));
        } else if (command instanceof ClaimCommand.CheckpointClaim checkpoint
                && checkpoint.state() == ClaimState.NODE_DETACHED) {
            state.volume(checkpoint.key())
                    .ifPresent(volume -> volume.claims()
                            .get(checkpoint.allocationId())
                            .filter(claim -> !claim.nodeDetached()
                                    && claim.operatorOverride().isEmpty()
                                    && !detached.contains(new SimNode.Mount(
                                            claim.formerVolume().orElse(checkpoint.key()), checkpoint.allocationId())))
                            .ifPresent(claim -> check(
                                    process,
                                    state,
                                    checkpoint.key(),
                                    claim,
                                    volume.spec()
                                            .declaredFencingPolicy()
                                            .orElse(FencingPolicy.waitForConfirmation()))));
        }
    }

    private void check(SimProcess process, StateReader state, VolumeKey key, Claim claim, FencingPolicy policy) {
        Node node = state.node(claim.nodeId()).orElse(null);
        if (node == null || (node.status() != NodeStatus.DISCONNECTED && node.status() != NodeStatus.DOWN)) {
            return;
        }
        boolean formerIsLost = state.volume(key)
                .filter(volume -> node.isFormer(volume.pluginId(), claim.externalNodeId())
                        && node.isLost(volume.pluginId(), claim.externalNodeId()))
                .isPresent();
        if (formerIsLost) {
            // The claim's machine is no longer the one whose status this is; the host or an operator said that it is
            // lost.
            return;
        }
        Since since = statuses.get(node.id());
        if (since == null || since.index != node.modifyIndex()) {
            // The server reads a state that is not the newest; the invariants of mounts still hold.
            return;
        }
        Duration begin = since.at.compareTo(process.leadsSince()) > 0 ? since.at : process.leadsSince();
        Duration seen = world.scheduler().elapsed().minus(begin);
        if (!(policy instanceof FencingPolicy.AfterGrace after) || seen.compareTo(after.grace()) < 0) {
            world.reportViolation(
                    "I21: the claim of " + claim.allocationId() + " on " + key + " counts as detached from "
                            + node.id() + ", which is " + node.status() + ", and its server has seen that for " + seen
                            + " only; the policy is " + policy);
        } else {
            world.coverage().fault("grace period ended");
        }
    }
}
