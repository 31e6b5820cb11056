package io.csi4j.core.volume;

import io.csi4j.core.id.WorkloadName;
import java.util.Objects;

/**
 * A workload to which volumes of its namespace belong.
 *
 * @param name the name that the host gives the workload, unique in the namespace
 * @param incarnation the number that the host gives to each life of the name, above 0 and greater than those before: a
 *     workload that was removed and started again under its name has another one, and shares no volumes with the former
 */
public record WorkloadOwner(WorkloadName name, long incarnation) {
    /** @throws IllegalArgumentException if the incarnation is not above 0 */
    public WorkloadOwner {
        Objects.requireNonNull(name, "name");
        if (incarnation < 1) {
            throw new IllegalArgumentException(
                    "WorkloadOwner: incarnation is " + incarnation + "; count the lives of " + name + " from 1");
        }
    }

    /**
     * Returns the owner with this name and number.
     *
     * @throws IllegalArgumentException if the name is not valid, or the incarnation is not above 0
     */
    public static WorkloadOwner of(String name, long incarnation) {
        return new WorkloadOwner(WorkloadName.of(name), incarnation);
    }

    /** Returns the workload as text for operators, for example {@code web, incarnation 3}. */
    @Override
    public String toString() {
        return name + ", incarnation " + incarnation;
    }
}
