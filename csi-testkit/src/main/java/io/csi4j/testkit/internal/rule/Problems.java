package io.csi4j.testkit.internal.rule;

import java.util.ArrayList;
import java.util.List;

/** Collects all that is wrong with a request, so that the caller need not find it out piece by piece. */
public final class Problems {
    private final List<String> found = new ArrayList<>(0);

    /**
     * Adds a problem.
     *
     * @param field as named in csi.proto
     * @param problem what is wrong and what to do; never the value of a secret, context or mount flag
     */
    public void add(String field, String problem) {
        found.add(field + ": " + problem);
    }

    /**
     * Adds a problem unless all is well.
     *
     * @param fine whether all is well
     * @param field as named in csi.proto
     * @param problem what is wrong and what to do
     */
    public void require(boolean fine, String field, String problem) {
        if (!fine) {
            add(field, problem);
        }
    }

    /**
     * Requires that a field is set.
     *
     * @param value of the field
     * @param field as named in csi.proto
     */
    public void required(String value, String field) {
        require(!value.isEmpty(), field, "is required and missing (R22)");
    }

    /**
     * Ends the call when anything was wrong.
     *
     * @throws Refusal INVALID_ARGUMENT with all problems
     */
    public void refuseIfAny() {
        if (!found.isEmpty()) {
            throw Refusal.invalid(String.join("; ", found));
        }
    }
}
