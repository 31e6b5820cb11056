package io.csi4j.core.capability;

import io.csi4j.core.call.Rpc;
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
 * One dependency of R42.
 *
 * @param rpc the RPC
 * @param field the field, in the spelling of its accessor; empty: the RPC as such
 * @param need what it needs, or asks for
 * @param capability the capability
 */
public record CapabilityRow(Rpc rpc, String field, Need need, WireEnum capability) {
    /** How a field and a capability hang together. */
    public enum Need {
        /** Without the capability the RPC must not be called, or the field not be set. */
        ONLY_WITH,
        /** With the capability the field must be set. */
        ALWAYS_WITH
    }

    /** Checks that all parts are there. */
    public CapabilityRow {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(field, "field");
        Objects.requireNonNull(need, "need");
        Objects.requireNonNull(capability, "capability");
    }

    /**
     * The capability in words.
     *
     * @return for example {@code controller capability CLONE_VOLUME}
     */
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

    /** Whether a request breaks it; what the request sets is asked last, because it costs most. */
    boolean brokenBy(Capabilities known, BooleanSupplier set) {
        return switch (need) {
            case ONLY_WITH -> known.lacks(capability) && set.getAsBoolean();
            case ALWAYS_WITH -> known.has(capability) && !set.getAsBoolean();
        };
    }

    /** A row with how to see in a request whether it sets the field. */
    record Checked(CapabilityRow row, Predicate<CsiRequest> set) {
        boolean brokenBy(CsiRequest request, Capabilities known) {
            return row.brokenBy(known, () -> set.test(request));
        }
    }
}
