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

/** The capabilities that the plugin reported. A step is skipped exactly if its capability is missing here (R44). */
record Capabilities(
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

    /** The topology to request in CreateVolume and GetCapacity (R42, R53). */
    Optional<Topology> requestedTopology() {
        return has(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS) ? nodeTopology : Optional.empty();
    }
}
