package io.csi4j.client.internal.call;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.internal.capability.CapabilityTable;
import io.csi4j.core.rpc.CsiRequest;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests that need capabilities which the plugin does not have (R42).
 *
 * @param plugin the plugin's name for messages
 * @param known the plugin's capabilities, read for every call; unknown capabilities reject nothing
 */
public record CapabilityGuard(String plugin, Supplier<Capabilities> known) {
    /** Returns the exception for a request that must not be sent; returns null if the request may be sent. */
    public @Nullable RuntimeException refusal(Rpc rpc, CsiRequest request) {
        return refusal(rpc, capabilities -> CapabilityTable.problems(rpc, request, capabilities, plugin));
    }

    /** Returns the exception for an RPC that must not be called, whatever its request; returns null if it may be called. */
    public @Nullable RuntimeException refusal(Rpc rpc) {
        return refusal(rpc, capabilities -> CapabilityTable.problems(rpc, capabilities, plugin));
    }

    private @Nullable RuntimeException refusal(Rpc rpc, Function<Capabilities, List<Problem>> check) {
        List<Problem> problems;
        try {
            problems = check.apply(known.get());
        } catch (RuntimeException unknown) {
            return unknown;
        }
        return problems.isEmpty() ? null : new CsiRequestException(rpc.csiName() + "Request", problems);
    }
}
