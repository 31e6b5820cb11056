package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.StorageLoss;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Decides which volumes end because the storage of a node is gone: those that only this node could reach, and that are
 * being deleted, belong to an allocation, or are named.
 */
public final class StorageLosses {
    private final StateReader state;
    private final StorageLoss loss;

    private StorageLosses(StateReader state, StorageLoss loss) {
        this.state = state;
        this.loss = loss;
    }

    /** Returns the reason why the storage cannot count as lost; empty if it can. */
    public static Optional<Rejection> refusal(StateReader state, StorageLoss loss) {
        return state.node(loss.nodeId())
                .map(Node::status)
                .filter(status -> !status.lost())
                .map(status -> new Rejection.InvalidRequest(
                        "loss of the storage of node " + loss.nodeId(),
                        List.of(new Problem(
                                "nodeId",
                                "is " + loss.nodeId() + ", which is " + status + ", so workloads may use its storage",
                                "fence or remove the node first"))));
    }

    /** Returns the volumes in the place, each with the reason why its row stays; empty for one that ends. */
    public static Map<VolumeKey, Optional<String>> decide(StateReader state, StorageLoss loss) {
        StorageLosses losses = new StorageLosses(state, loss);
        Map<VolumeKey, Optional<String>> decided = new TreeMap<>();
        for (VolumeKey key : state.volumesOf(loss.pluginId())) {
            state.volume(key)
                    .filter(volume -> loss.place().containsAny(volume.facts().accessibleTopology()))
                    .ifPresent(volume -> decided.put(key, losses.kept(volume)));
        }
        return decided;
    }

    private Optional<String> kept(Volume volume) {
        Optional<NodeId> other = reachableFrom(volume.facts().accessibleTopology());
        if (other.isPresent()) {
            return Optional.of("node " + other.get() + " can reach it");
        }
        for (Claim claim : volume.claims()) {
            if (claim.state() == ClaimState.TAKEN || !claim.nodeId().equals(loss.nodeId())) {
                return Optional.of("allocation " + claim.allocationId() + " claims it on node " + claim.nodeId());
            }
        }
        for (Attachment attachment : volume.attachments()) {
            if (!attachment.nodeId().equals(loss.nodeId())) {
                return Optional.of("it is attached to node " + attachment.nodeId());
            }
        }
        boolean source = volume.externalVolumeId()
                .filter(id -> state.creationsFrom(loss.pluginId(), VolumeContentSource.volume(id))
                        .iterator()
                        .hasNext())
                .isPresent();
        if (source) {
            return Optional.of("another volume is being created from it");
        }
        boolean ends = volume.phase() == VolumePhase.DELETING
                || volume.owner().flatMap(VolumeOwner::ofAllocation).isPresent()
                || loss.named().contains(volume.key());
        return ends ? Optional.empty() : Optional.of("it outlives its workload; name it to end it");
    }

    /** Returns another node from which a volume is accessible, whatever the status of that node is. */
    private Optional<NodeId> reachableFrom(List<Topology> accessible) {
        for (PluginInstance instance : state.instancesOf(loss.pluginId())) {
            boolean reaches = !instance.key().nodeId().equals(loss.nodeId())
                    && instance.nodeInfo()
                            .flatMap(NodeInfo::accessibleTopology)
                            .filter(topology -> topology.containsAny(accessible))
                            .isPresent();
            if (reaches) {
                return Optional.of(instance.key().nodeId());
            }
        }
        return Optional.empty();
    }
}
