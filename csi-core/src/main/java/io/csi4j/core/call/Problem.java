package io.csi4j.core.call;

import java.util.Objects;

/**
 * One thing that is wrong with a request.
 *
 * @param field the field, in the spelling of its accessor, for example {@code capacityRange.limitBytes}
 * @param problem what is wrong with its value; never holds a sensitive value
 * @param remedy what to do about it
 */
public record Problem(String field, String problem, String remedy) {
    /** Checks that all three parts are there. */
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
