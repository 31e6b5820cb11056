package io.csi4j.simulation.internal.world;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks that all requests that create an object with a name have the same fields, secrets excepted (R29). */
public final class SimNamedRequests {
    private final SimWorld world;
    private final Map<String, List<Object>> first = new HashMap<>();

    SimNamedRequests(SimWorld world) {
        this.world = world;
    }

    /**
     * Compares a request with the first one of its kind and name.
     *
     * @param kind the RPC
     * @param fields all fields but the name and the secrets
     */
    public void arrived(String kind, String name, List<Object> fields) {
        List<Object> before = first.putIfAbsent(kind + " " + name, fields);
        if (before != null && !before.equals(fields)) {
            world.reportViolation("I24, R29: " + kind + " of " + name + " is repeated with other fields: " + fields
                    + " after " + before);
        }
    }
}
