package io.csi4j.testkit.internal.rule;

import java.util.ArrayList;
import java.util.List;

/** Collects all problems of a request, so that the caller gets them in one error. */
public final class Problems {
    private final List<String> found = new ArrayList<>(0);

    public Problems() {}

    /**
     * Adds a problem.
     *
     * @param field the field's name in csi.proto
     * @param problem the problem and its remedy; never the value of a secret, context or mount flag
     */
    public void add(String field, String problem) {
        found.add(field + ": " + problem);
    }

    /**
     * Adds a problem if a condition is false.
     *
     * @param fine the condition
     * @param field the field's name in csi.proto
     * @param problem the problem and its remedy
     */
    public void require(boolean fine, String field, String problem) {
        if (!fine) {
            add(field, problem);
        }
    }

    /**
     * Adds a problem if a required field is empty.
     *
     * @param value the value of the field
     * @param field the field's name in csi.proto
     */
    public void required(String value, String field) {
        require(!value.isEmpty(), field, "is required and missing (R22)");
    }

    /**
     * Fails the call if there are problems.
     *
     * @throws CallRefusal INVALID_ARGUMENT with all problems
     */
    public void refuseIfAny() {
        if (!found.isEmpty()) {
            throw CallRefusal.invalid(String.join("; ", found));
        }
    }
}
