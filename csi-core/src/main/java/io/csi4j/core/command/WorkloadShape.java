package io.csi4j.core.command;

/**
 * How many allocations share a volume request.
 *
 * @param count how many allocations the workload runs
 * @param onEveryNode whether it runs one on every node instead
 * @param canaries how many extra allocations an update runs beside the old ones
 */
public record WorkloadShape(int count, boolean onEveryNode, int canaries) {
    /**
     * Checks the counts.
     *
     * @throws IllegalArgumentException if one is negative
     */
    public WorkloadShape {
        if (count < 0 || canaries < 0) {
            throw new IllegalArgumentException(
                    "WorkloadShape: count " + count + " and canaries " + canaries + " must not be negative");
        }
    }

    /**
     * A workload of a number of allocations.
     *
     * @param count how many
     * @return the shape, without canaries
     */
    public static WorkloadShape of(int count) {
        return new WorkloadShape(count, false, 0);
    }
}
