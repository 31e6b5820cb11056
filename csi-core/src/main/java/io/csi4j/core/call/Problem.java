package io.csi4j.core.call;

import java.util.Objects;

/**
 * One problem of a request.
 *
 * @param field the field, spelled like its accessor, for example {@code capacityRange.limitBytes}
 * @param problem the problem of its value; never contains a sensitive value
 * @param remedy the change that solves the problem
 */
public record Problem(String field, String problem, String remedy) {
    public Problem {
        Objects.requireNonNull(field, "field");
        Objects.requireNonNull(problem, "problem");
        Objects.requireNonNull(remedy, "remedy");
    }

    @Override
    public String toString() {
        return field + " " + problem + " (" + remedy + ")";
    }
}
