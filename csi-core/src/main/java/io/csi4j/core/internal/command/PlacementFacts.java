package io.csi4j.core.internal.command;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.StateRestore;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Volume;
import java.util.Objects;
import java.util.Optional;

/**
 * The facts about a node and a plugin that {@link Admission} needs besides the volume and the request.
 *
 * @param nodeId the node of the allocation
 * @param node the row of the node; empty if the node is not known
 * @param nodeInstance the plugin instance that serves the node service on the node; empty if there is none. If calls on
 *     the node could reach an instance with another provider name, it is that instance
 * @param plugin the last facts that the plugin reported; empty if it has not reported any
 * @param healthyController whether a healthy controller instance that can publish volumes runs on a READY node;
 *     ignored if the controller does not publish volumes
 * @param otherVolumes the number of other volumes of the plugin that are claimed or attached on the node, including
 *     those of allocations that are to be placed at the same time
 * @param unsettledNode a node that may use the volume without a claim, because it has not reported its ledger or because
 *     its report names the volume; empty if there is none
 * @param unverified the restore of the state since which the volume is not verified; empty if it need not be
 */
public record PlacementFacts(
        NodeId nodeId,
        Optional<Node> node,
        Optional<PluginInstance> nodeInstance,
        Optional<PluginFacts> plugin,
        boolean healthyController,
        long otherVolumes,
        Optional<NodeId> unsettledNode,
        Optional<StateRestore> unverified) {
    public PlacementFacts {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(nodeInstance, "nodeInstance");
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(unsettledNode, "unsettledNode");
        Objects.requireNonNull(unverified, "unverified");
    }

    /** Returns these facts with further volumes on the node. */
    public PlacementFacts with(long volumes) {
        return new PlacementFacts(
                nodeId,
                node,
                nodeInstance,
                plugin,
                healthyController,
                otherVolumes + volumes,
                unsettledNode,
                unverified);
    }

    /** Returns these facts for a volume that need not be verified. */
    public PlacementFacts verified() {
        return new PlacementFacts(
                nodeId, node, nodeInstance, plugin, healthyController, otherVolumes, unsettledNode, Optional.empty());
    }

    /**
     * Returns whether the controller must publish a volume; UNKNOWN if the plugin has not reported any facts. No controller
     * publishes an inline volume.
     */
    public ControllerNeed controllerNeed(Volume volume) {
        return volume.isInline()
                ? ControllerNeed.NOT_REQUIRED
                : plugin.map(PluginFacts::controllerNeed).orElse(ControllerNeed.UNKNOWN);
    }

    /** Returns the capabilities that the plugin reported last; no kind is known if it has not reported any facts. */
    public Capabilities capabilities() {
        return plugin.map(PluginFacts::capabilities).orElseGet(Capabilities::unknown);
    }

    /**
     * Returns the facts about the node that the plugin reported, or empty if it has not reported any. Facts of another
     * driver do not count.
     */
    public Optional<NodeInfo> nodeInfo() {
        return providerConflict() ? Optional.empty() : nodeInstance.flatMap(PluginInstance::nodeInfo);
    }

    /**
     * Returns whether the instance on the node runs another driver than the plugin's volumes belong to, by its provider
     * name.
     */
    public boolean providerConflict() {
        return plugin.isPresent()
                && nodeInstance.filter(plugin.get()::conflictsWith).isPresent();
    }

    /**
     * Returns whether the controller publishes the volume read-only for a claim. That is so if the claim only reads,
     * the access mode does not let a writer use the same attachment, and the plugin has the capability
     * PUBLISH_READONLY (R42). Otherwise the node mounts the volume read-only for the reader.
     *
     * @return the {@code readonly} field of ControllerPublishVolume
     */
    public boolean attachReadonly(ClaimRequest request) {
        VolumeAccessMode mode = request.capability().accessMode();
        return request.mode() == ClaimMode.READ
                && (mode.readerOnly() || mode == VolumeAccessMode.MULTI_NODE_SINGLE_WRITER)
                && capabilities().has(ControllerCapability.PUBLISH_READONLY);
    }
}
