package io.csi4j.testkit.history;

import java.util.List;
import java.util.Objects;

/**
 * Requests that create objects of the same name and differ. A caller that repeats such a call has to send the same fields, secrets
 * excepted (R29); for another object it needs another name.
 *
 * @param rpc the RPC as CSI names it, like {@code CreateVolume}
 * @param name the name in the requests
 * @param fields the fields that differ from those of the first request, in order; never their values
 */
public record ChangedRequest(String rpc, String name, List<String> fields) {
    /** Checks that no part is null. */
    public ChangedRequest {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(name, "name");
        fields = List.copyOf(fields);
    }

    /** Returns a sentence that names the fields. */
    @Override
    public String toString() {
        return rpc + " of '" + name + "' was repeated with other values of " + String.join(", ", fields)
                + "; repeat it with the same fields, or use another name (R29)";
    }
}
