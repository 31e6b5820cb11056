package io.csi4j.testkit.conformance.internal;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The secrets for each RPC. {@code toString} leaves out the values. */
public final class SecretsByRpc {
    private final Map<String, String> common;
    private final Map<String, Map<String, String>> byRpc;

    /**
     * Creates the secrets of a run.
     *
     * @param common the secrets for each RPC that is not in {@code byRpc}
     * @param byRpc the secrets of single RPCs, by the name of the RPC
     */
    public SecretsByRpc(Map<String, String> common, Map<String, Map<String, String>> byRpc) {
        this.common = Map.copyOf(common);
        this.byRpc = Map.copyOf(byRpc);
    }

    /**
     * Returns the secrets of one RPC.
     *
     * @param rpc the name of the RPC
     */
    public Map<String, String> of(String rpc) {
        return byRpc.getOrDefault(rpc, common);
    }

    /** Returns the values of all secrets. No text of the report may show them. */
    Collection<String> values() {
        Set<String> values = new LinkedHashSet<>(common.values());
        byRpc.values().forEach(set -> values.addAll(set.values()));
        return values;
    }

    /** Returns whether there is any secret. */
    public boolean isEmpty() {
        return common.isEmpty() && byRpc.isEmpty();
    }

    /** Returns a text that counts the sets of secrets and shows none of them. */
    @Override
    public String toString() {
        return "secrets of " + (byRpc.size() + (common.isEmpty() ? 0 : 1)) + " kinds";
    }
}
