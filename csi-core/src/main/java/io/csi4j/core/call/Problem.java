package io.csi4j.core.call;

import io.csi4j.core.internal.text.Text;
import java.util.Objects;

/**
 * One problem of a request. Unpaired surrogates in its texts are replaced.
 *
 * @param field the field, spelled like its accessor, for example {@code capacityRange.limitBytes}
 * @param problem the problem of its value; never contains a sensitive value
 * @param remedy the change that solves the problem
 */
public record Problem(String field, String problem, String remedy) {
    public Problem {
        field = Text.repaired(Objects.requireNonNull(field, "field"));
        problem = Text.repaired(Objects.requireNonNull(problem, "problem"));
        remedy = Text.repaired(Objects.requireNonNull(remedy, "remedy"));
    }

    @Override
    public String toString() {
        return field + " " + problem + " (" + remedy + ")";
    }
}
