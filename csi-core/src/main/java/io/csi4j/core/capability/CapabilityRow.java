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
 * One dependency between a field and a capability (R42).
 *
 * @param rpc the RPC
 * @param field the field, spelled like its accessor; empty: the RPC as a whole
 * @param need the kind of the dependency
 * @param capability the capability
 */
public record CapabilityRow(Rpc rpc, String field, Need need, WireEnum capability) {
    /** The kind of a dependency. */
    public enum Need {
        /** Without the capability, the RPC must not be called, or the field must not be set. */
        ONLY_WITH,
        /** With the capability, the field must be set. */
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

    /** Returns whether a request breaks the dependency; checks the request last, because that costs most. */
    boolean brokenBy(Capabilities known, BooleanSupplier set) {
        return switch (need) {
            case ONLY_WITH -> known.lacks(capability) && set.getAsBoolean();
            case ALWAYS_WITH -> known.has(capability) && !set.getAsBoolean();
        };
    }

    /** A dependency with the test whether a request sets the field. */
    record Checked(CapabilityRow row, Predicate<CsiRequest> set) {
        boolean brokenBy(CsiRequest request, Capabilities known) {
            return row.brokenBy(known, () -> set.test(request));
        }
    }
}
