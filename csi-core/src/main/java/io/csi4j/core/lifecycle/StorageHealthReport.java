package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import java.util.List;
import java.util.Objects;

/**
 * The health of a plugin's storage backends as one node reports it. Plugins can report it since CSI 1.13 (R104).
 *
 * @param verdict the health of all backends together
 * @param entries the reported problems; problems of a kind that csi4j does not know are left out
 */
public record StorageHealthReport(HealthVerdict verdict, List<StorageBackendHealth> entries) {
    /** Copies the list of problems, so that later changes of the caller's list have no effect. */
    public StorageHealthReport {
        Objects.requireNonNull(verdict, "verdict");
        entries = List.copyOf(entries);
    }

    /** Returns the report of a plugin that has not reported the health of its storage backends. */
    public static StorageHealthReport notReported() {
        return new StorageHealthReport(HealthVerdict.NOT_REPORTED, List.of());
    }

    /**
     * Creates a report from a plugin's response. A response without entries means healthy; entries of unknown kinds are ignored.
     *
     * @param reported all entries of the response
     */
    public static StorageHealthReport of(List<StorageBackendHealth> reported) {
        List<StorageBackendHealth> known = reported.stream()
                .filter(entry -> entry.status() != StorageHealthStatus.UNKNOWN)
                .toList();
        return new StorageHealthReport(known.isEmpty() ? HealthVerdict.HEALTHY : HealthVerdict.ABNORMAL, known);
    }
}
