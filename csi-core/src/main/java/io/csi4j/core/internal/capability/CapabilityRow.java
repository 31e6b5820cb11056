package io.csi4j.core.internal.capability;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.rpc.CsiRequest;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * A rule that connects a field of a request with a capability of the plugin (R42).
 *
 * @param rpc the RPC
 * @param field the field, spelled like its accessor; empty for the RPC as a whole
 * @param need how the field depends on the capability
 * @param capability the capability
 */
public record CapabilityRow(Rpc rpc, String field, Need need, WireEnum capability) {
    /** Says how a field depends on a capability. */
    public enum Need {
        /** The field may be set, or the RPC may be called, only if the plugin has the capability. */
        ONLY_WITH,
        /** If the plugin has the capability, the field must be set. */
        ALWAYS_WITH
    }

    public CapabilityRow {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(field, "field");
        Objects.requireNonNull(need, "need");
        Objects.requireNonNull(capability, "capability");
    }

    /** Returns the capability as text, for example {@code controller capability CLONE_VOLUME}. */
    public String capabilityName() {
        return kind(capability) + " " + capability;
    }

    private static String kind(WireEnum capability) {
        if (capability instanceof PluginService) {
            return "plugin capability";
        }
        if (capability instanceof ControllerCapability) {
            return "controller capability";
        }
        if (capability instanceof GroupControllerCapability) {
            return "group controller capability";
        }
        if (capability instanceof NodeCapability) {
            return "node capability";
        }
        return "capability";
    }

    /**
     * Returns whether a request breaks this rule.
     *
     * @param known the plugin's capabilities
     * @param set whether the request sets the field; called only if the result depends on it, because the test is slow
     */
    boolean brokenBy(Capabilities known, BooleanSupplier set) {
        return switch (need) {
            case ONLY_WITH -> known.lacks(capability) && set.getAsBoolean();
            case ALWAYS_WITH -> known.has(capability) && !set.getAsBoolean();
        };
    }

    /** A rule, and the test whether a request sets its field. */
    record Checked(CapabilityRow row, Predicate<CsiRequest> set) {
        boolean brokenBy(CsiRequest request, Capabilities known) {
            return row.brokenBy(known, () -> set.test(request));
        }
    }
}
