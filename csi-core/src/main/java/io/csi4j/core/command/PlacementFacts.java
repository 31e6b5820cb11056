package io.csi4j.core.command;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.volume.ClaimMode;
import java.util.Objects;
import java.util.Optional;

/**
 * What {@link Admission} has to know besides the volume and the request.
 *
 * @param nodeId where the claim would be
 * @param node what the host says about that node; empty: nothing
 * @param nodeInstance the instance that leads the plugin's node service there; empty: none
 * @param plugin the last known good facts about the plugin; empty: none
 * @param healthyController whether a healthy instance of the controller service is on a node that answers; of no account where
 *     the controller need not attach
 * @param otherVolumes how many other volumes of the plugin are claimed or attached on the node, those of
 *     the same proposal included
 */
public record PlacementFacts(
        NodeId nodeId,
        Optional<Node> node,
        Optional<PluginInstance> nodeInstance,
        Optional<PluginFacts> plugin,
        boolean healthyController,
        long otherVolumes) {
    public PlacementFacts {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(nodeInstance, "nodeInstance");
        Objects.requireNonNull(plugin, "plugin");
    }

    /**
     * Whether the controller has to publish.
     *
     * @return UNKNOWN where no facts are known
     */
    public ControllerNeed controllerNeed() {
        return plugin.map(PluginFacts::controllerNeed).orElse(ControllerNeed.UNKNOWN);
    }

    /**
     * What the plugin said about the node.
     *
     * @return empty: nothing
     */
    public Optional<NodeInfo> nodeInfo() {
        return nodeInstance.flatMap(PluginInstance::nodeInfo);
    }

    /**
     * Whether the controller publishes read-only for a claim: the claim reads, nobody may write from this node beside
     * it without another attachment, and the plugin can (R42: PUBLISH_READONLY). Where the access mode lets a writer
     * join on the node, the node publishes the reader read-only instead.
     *
     * @return the {@code readonly} of ControllerPublishVolume
     */
    public boolean attachReadonly(ClaimRequest request) {
        AccessMode mode = request.capability().accessMode();
        return request.mode() == ClaimMode.READ
                && (mode.readerOnly() || mode == AccessMode.MULTI_NODE_SINGLE_WRITER)
                && plugin.flatMap(PluginFacts::controllerCapabilities)
                        .filter(offered -> offered.has(ControllerCapability.PUBLISH_READONLY))
                        .isPresent();
    }
}
