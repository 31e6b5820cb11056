package io.csi4j.core.capability;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.csi.WireEnum;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The capabilities that a plugin has reported. A kind of capabilities is empty if it is not known. Immutable.
 *
 * @param services the services from GetPluginCapabilities (R38)
 * @param volumeExpansion the kinds of volume expansion from GetPluginCapabilities (R82)
 * @param controller the response of ControllerGetCapabilities
 * @param groupController the response of GroupControllerGetCapabilities
 * @param node the response of NodeGetCapabilities
 */
public record Capabilities(
        Optional<CapabilitySet<PluginService>> services,
        Optional<CapabilitySet<VolumeExpansion>> volumeExpansion,
        Optional<CapabilitySet<ControllerCapability>> controller,
        Optional<CapabilitySet<GroupControllerCapability>> groupController,
        Optional<CapabilitySet<NodeCapability>> node) {
    private static final Capabilities UNKNOWN =
            new Capabilities(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public Capabilities {
        Objects.requireNonNull(services, "services");
        Objects.requireNonNull(volumeExpansion, "volumeExpansion");
        Objects.requireNonNull(controller, "controller");
        Objects.requireNonNull(groupController, "groupController");
        Objects.requireNonNull(node, "node");
    }

    /** Returns an object for a plugin that has not reported any capabilities; with it, no request is rejected. */
    public static Capabilities unknown() {
        return UNKNOWN;
    }

    /** Returns the same capabilities with new services of a response of GetPluginCapabilities. */
    public Capabilities withServices(CapabilitySet<PluginService> reported) {
        return new Capabilities(Optional.of(reported), volumeExpansion, controller, groupController, node);
    }

    /** Returns the same capabilities with exactly the given services. */
    public Capabilities withServices(PluginService... reported) {
        return withServices(CapabilitySet.of(PluginService.class, List.of(reported)));
    }

    /** Returns the same capabilities with new kinds of volume expansion of a response of GetPluginCapabilities. */
    public Capabilities withVolumeExpansion(CapabilitySet<VolumeExpansion> reported) {
        return new Capabilities(services, Optional.of(reported), controller, groupController, node);
    }

    /** Returns the same capabilities with exactly the given kinds of volume expansion. */
    public Capabilities withVolumeExpansion(VolumeExpansion... reported) {
        return withVolumeExpansion(CapabilitySet.of(VolumeExpansion.class, List.of(reported)));
    }

    /** Returns the same capabilities with a new response of ControllerGetCapabilities. */
    public Capabilities withController(CapabilitySet<ControllerCapability> reported) {
        return new Capabilities(services, volumeExpansion, Optional.of(reported), groupController, node);
    }

    /** Returns the same capabilities with exactly the given ones of the controller. */
    public Capabilities withController(ControllerCapability... reported) {
        return withController(CapabilitySet.of(ControllerCapability.class, List.of(reported)));
    }

    /** Returns the same capabilities with a new response of GroupControllerGetCapabilities. */
    public Capabilities withGroupController(CapabilitySet<GroupControllerCapability> reported) {
        return new Capabilities(services, volumeExpansion, controller, Optional.of(reported), node);
    }

    /** Returns the same capabilities with exactly the given ones of the group controller. */
    public Capabilities withGroupController(GroupControllerCapability... reported) {
        return withGroupController(CapabilitySet.of(GroupControllerCapability.class, List.of(reported)));
    }

    /** Returns the same capabilities; those of the group controller are not known. */
    public Capabilities withoutGroupController() {
        return groupController.isEmpty()
                ? this
                : new Capabilities(services, volumeExpansion, controller, Optional.empty(), node);
    }

    /** Returns the same capabilities with a new response of NodeGetCapabilities. */
    public Capabilities withNode(CapabilitySet<NodeCapability> reported) {
        return new Capabilities(services, volumeExpansion, controller, groupController, Optional.of(reported));
    }

    /** Returns the same capabilities with exactly the given ones of the node service. */
    public Capabilities withNode(NodeCapability... reported) {
        return withNode(CapabilitySet.of(NodeCapability.class, List.of(reported)));
    }

    /** Returns these capabilities; each kind that is not known is taken from the given ones. */
    public Capabilities or(Capabilities known) {
        return new Capabilities(
                services.or(known::services),
                volumeExpansion.or(known::volumeExpansion),
                controller.or(known::controller),
                groupController.or(known::groupController),
                node.or(known::node));
    }

    /** Returns whether the plugin has reported the capability. */
    public boolean has(WireEnum capability) {
        return announced(capability).orElse(false);
    }

    /** Returns whether the plugin's report is known and lacks the capability. */
    public boolean lacks(WireEnum capability) {
        return !announced(capability).orElse(true);
    }

    private Optional<Boolean> announced(WireEnum capability) {
        if (capability instanceof PluginService service) {
            return services.map(set -> set.has(service));
        }
        if (capability instanceof VolumeExpansion own) {
            return volumeExpansion.map(set -> set.has(own));
        }
        if (capability instanceof ControllerCapability own) {
            return controller.map(set -> set.has(own));
        }
        if (capability instanceof GroupControllerCapability own) {
            return groupController.map(set -> set.has(own));
        }
        if (capability instanceof NodeCapability own) {
            return node.map(set -> set.has(own));
        }
        throw new IllegalArgumentException("capability: " + capability + " is none of the five kinds");
    }
}
