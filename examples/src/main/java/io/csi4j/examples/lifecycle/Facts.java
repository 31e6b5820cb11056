package io.csi4j.examples.lifecycle;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeExpansion;
import java.util.Optional;

/** What the plugin said about itself. A step is skipped exactly when its capability is absent here (R44). */
record Facts(
        CapabilitySet<PluginService> services,
        CapabilitySet<VolumeExpansion> expansion,
        CapabilitySet<ControllerCapability> controller,
        CapabilitySet<GroupControllerCapability> groupController,
        CapabilitySet<NodeCapability> node,
        Optional<ExternalNodeId> nodeId,
        Optional<Topology> nodeTopology) {

    boolean has(PluginService service) {
        return services.has(service);
    }

    boolean has(ControllerCapability capability) {
        return controller.has(capability);
    }

    boolean has(NodeCapability capability) {
        return node.has(capability);
    }

    boolean has(GroupControllerCapability capability) {
        return groupController.has(capability);
    }

    /** The topology to ask for in CreateVolume and GetCapacity (R42, R53). */
    Optional<Topology> topologyToAskFor() {
        return has(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS) ? nodeTopology : Optional.empty();
    }
}
