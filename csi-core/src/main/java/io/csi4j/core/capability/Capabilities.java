package io.csi4j.core.capability;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import java.util.Objects;
import java.util.Optional;

/**
 * The capabilities that a plugin has reported. Immutable.
 *
 * @param services the response of GetPluginCapabilities; empty if not known
 * @param controller the response of ControllerGetCapabilities; empty if not known
 * @param groupController the response of GroupControllerGetCapabilities; empty if not known
 * @param node the response of NodeGetCapabilities; empty if not known
 */
public record Capabilities(
        Optional<CapabilitySet<PluginService>> services,
        Optional<CapabilitySet<ControllerCapability>> controller,
        Optional<CapabilitySet<GroupControllerCapability>> groupController,
        Optional<CapabilitySet<NodeCapability>> node) {
    private static final Capabilities UNKNOWN =
            new Capabilities(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public Capabilities {
        Objects.requireNonNull(services, "services");
        Objects.requireNonNull(controller, "controller");
        Objects.requireNonNull(groupController, "groupController");
        Objects.requireNonNull(node, "node");
    }

    /** Returns an object for a plugin that has not reported any capabilities; with it, no request is rejected. */
    public static Capabilities unknown() {
        return UNKNOWN;
    }

    /**
     * Returns the capabilities that a plugin reported last. The capabilities of its group controller count as unknown,
     * because the facts do not contain them.
     */
    public static Capabilities from(PluginFacts facts) {
        return new Capabilities(
                facts.services(), facts.controllerCapabilities(), Optional.empty(), facts.nodeCapabilities());
    }

    /**
     * Returns the capabilities that an instance reported. The capabilities of its group controller count as unknown,
     * because a fingerprint does not contain them.
     */
    public static Capabilities from(PluginInstance instance) {
        return new Capabilities(
                instance.services(), instance.controllerCapabilities(), Optional.empty(), instance.nodeCapabilities());
    }

    /** Returns the same capabilities with a new response of GetPluginCapabilities. */
    public Capabilities withServices(CapabilitySet<PluginService> reported) {
        return new Capabilities(Optional.of(reported), controller, groupController, node);
    }

    /** Returns the same capabilities with a new response of ControllerGetCapabilities. */
    public Capabilities withController(CapabilitySet<ControllerCapability> reported) {
        return new Capabilities(services, Optional.of(reported), groupController, node);
    }

    /** Returns the same capabilities with a new response of GroupControllerGetCapabilities. */
    public Capabilities withGroupController(CapabilitySet<GroupControllerCapability> reported) {
        return new Capabilities(services, controller, Optional.of(reported), node);
    }

    /** Returns the same capabilities with a new response of NodeGetCapabilities. */
    public Capabilities withNode(CapabilitySet<NodeCapability> reported) {
        return new Capabilities(services, controller, groupController, Optional.of(reported));
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
