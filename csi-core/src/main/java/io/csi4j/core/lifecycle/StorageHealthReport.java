package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import java.util.List;
import java.util.Objects;

/**
 * The health of a plugin's storage backends as one node sees them (R104). CSI tells it since 1.13.
 *
 * @param verdict what is known
 * @param entries all that is wrong, of the kinds that this version knows
 */
public record StorageHealthReport(HealthVerdict verdict, List<StorageBackendHealth> entries) {
    /** Copies the list. */
    public StorageHealthReport {
        Objects.requireNonNull(verdict, "verdict");
        entries = List.copyOf(entries);
    }

    /** Returns the report of a plugin that has not reported the health of this storage. */
    public static StorageHealthReport notReported() {
        return new StorageHealthReport(HealthVerdict.NOT_TOLD, List.of());
    }

    /**
     * What a plugin told. No entries mean healthy; kinds that this version does not know are ignored.
     *
     * @param told all entries of its answer
     * @return the report
     */
    public static StorageHealthReport of(List<StorageBackendHealth> told) {
        List<StorageBackendHealth> known = told.stream()
                .filter(entry -> entry.status() != StorageHealthStatus.UNKNOWN)
                .toList();
        return new StorageHealthReport(known.isEmpty() ? HealthVerdict.HEALTHY : HealthVerdict.ABNORMAL, known);
    }
}
