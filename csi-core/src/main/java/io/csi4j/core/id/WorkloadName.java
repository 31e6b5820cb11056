package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;

/**
 * The name that the host gives a workload to which volumes belong, for example a job. Unique within its namespace.
 *
 * @param value the text, for example {@code web}: not empty, at most 128 bytes of UTF-8, without control characters and
 *     unpaired surrogates
 */
public record WorkloadName(String value) implements Comparable<WorkloadName> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired surrogate
     */
    public WorkloadName {
        IdText.check("WorkloadName", "value", value);
    }

    /**
     * Returns the name with the given text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired
     *     surrogate
     */
    public static WorkloadName of(String value) {
        return new WorkloadName(value);
    }

    /** Orders the names by the code units of their texts. */
    @Override
    public int compareTo(WorkloadName other) {
        return value.compareTo(other.value);
    }

    /**
     * Returns the name as text for operators, with escapes for invisible characters. To get the exact name,
     * use {@link #value}.
     */
    @Override
    public String toString() {
        return Text.printable(value);
    }
}
