package io.csi4j.core.command;

/**
 * The number of allocations that share a {@link VolumeRequest}.
 *
 * @param count the number of allocations that the workload runs
 * @param onEveryNode whether the workload runs one allocation on each node, and not {@code count} allocations
 * @param canaries the number of additional allocations that run during an update of the workload
 */
public record WorkloadShape(int count, boolean onEveryNode, int canaries) {
    /** @throws IllegalArgumentException if a count is negative */
    public WorkloadShape {
        if (count < 0 || canaries < 0) {
            throw new IllegalArgumentException(
                    "WorkloadShape: count " + count + " and canaries " + canaries + " must not be negative");
        }
    }

    /** Creates the shape of a workload with the given number of allocations and no canaries. */
    public static WorkloadShape of(int count) {
        return new WorkloadShape(count, false, 0);
    }
}
