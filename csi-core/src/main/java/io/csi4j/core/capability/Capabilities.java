package io.csi4j.core.capability;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.plugin.PluginFacts;
import java.util.Objects;
import java.util.Optional;

/**
 * What a plugin is known to have announced, each part by itself. Immutable.
 *
 * @param services what GetPluginCapabilities told; empty: not known
 * @param controller what ControllerGetCapabilities told; empty: not known
 * @param groupController what GroupControllerGetCapabilities told; empty: not known
 * @param node what NodeGetCapabilities told; empty: not known
 */
public record Capabilities(
        Optional<CapabilitySet<PluginService>> services,
        Optional<CapabilitySet<ControllerCapability>> controller,
        Optional<CapabilitySet<GroupControllerCapability>> groupController,
        Optional<CapabilitySet<NodeCapability>> node) {
    private static final Capabilities UNKNOWN =
            new Capabilities(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** Checks that all parts are there. */
    public Capabilities {
        Objects.requireNonNull(services, "services");
        Objects.requireNonNull(controller, "controller");
        Objects.requireNonNull(groupController, "groupController");
        Objects.requireNonNull(node, "node");
    }

    /**
     * Nothing is known.
     *
     * @return what refuses nothing
     */
    public static Capabilities unknown() {
        return UNKNOWN;
    }

    /**
     * What the last known good facts about a plugin say; they say nothing about its group controller.
     *
     * @param facts the facts
     * @return the capabilities
     */
    public static Capabilities from(PluginFacts facts) {
        return new Capabilities(
                facts.services(), facts.controllerCapabilities(), Optional.empty(), facts.nodeCapabilities());
    }

    /**
     * The same, with another knowledge of the services.
     *
     * @param told what GetPluginCapabilities told
     * @return new capabilities
     */
    public Capabilities withServices(CapabilitySet<PluginService> told) {
        return new Capabilities(Optional.of(told), controller, groupController, node);
    }

    /**
     * The same, with another knowledge of the controller.
     *
     * @param told what ControllerGetCapabilities told
     * @return new capabilities
     */
    public Capabilities withController(CapabilitySet<ControllerCapability> told) {
        return new Capabilities(services, Optional.of(told), groupController, node);
    }

    /**
     * The same, with another knowledge of the group controller.
     *
     * @param told what GroupControllerGetCapabilities told
     * @return new capabilities
     */
    public Capabilities withGroupController(CapabilitySet<GroupControllerCapability> told) {
        return new Capabilities(services, controller, Optional.of(told), node);
    }

    /**
     * The same, with another knowledge of the node.
     *
     * @param told what NodeGetCapabilities told
     * @return new capabilities
     */
    public Capabilities withNode(CapabilitySet<NodeCapability> told) {
        return new Capabilities(services, controller, groupController, Optional.of(told));
    }

    /** Whether it is certain that the capability is there. */
    boolean has(WireEnum capability) {
        return announced(capability).orElse(false);
    }

    /** Whether it is certain that the capability is not there. */
    boolean lacks(WireEnum capability) {
        return !announced(capability).orElse(true);
    }

    private Optional<Boolean> announced(WireEnum capability) {
        if (capability instanceof PluginService service) {
            return services.map(set -> set.has(service));
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
        throw new IllegalArgumentException("capability: " + capability + " is none of the four kinds");
    }
}
