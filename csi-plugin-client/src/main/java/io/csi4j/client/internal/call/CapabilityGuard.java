package io.csi4j.client.internal.call;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.capability.CapabilityTable;
import io.csi4j.core.rpc.CsiRequest;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds back what the plugin has not announced (R42).
 *
 * @param plugin the plugin, for messages
 * @param known asked at every call; what is not known refuses nothing
 */
public record CapabilityGuard(String plugin, Supplier<Capabilities> known) {
    /** Why the request must not be sent; null if it may be. */
    public @Nullable RuntimeException refusal(Rpc rpc, CsiRequest request) {
        List<Problem> problems;
        try {
            problems = CapabilityTable.problems(rpc, request, known.get(), plugin);
        } catch (RuntimeException unknown) {
            return unknown;
        }
        return problems.isEmpty() ? null : new CsiRequestException(rpc.csiName() + "Request", problems);
    }
}
