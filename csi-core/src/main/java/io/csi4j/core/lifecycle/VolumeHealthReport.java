package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The health of a volume as its plugin reports it: as a volume condition in versions before CSI 1.13, and as volume
 * health since CSI 1.13 (R104). This record can hold either form.
 *
 * @param verdict the health of the volume
 * @param entries the reported problems; problems of a kind that csi4j does not know are left out; a volume condition
 *     becomes one entry with the status UNKNOWN and the condition's message
 */
public record VolumeHealthReport(HealthVerdict verdict, List<VolumeHealthEntry> entries) {
    private static final String CONDITION = "VolumeCondition";

    /** Copies the list of problems, so that later changes of the caller's list have no effect. */
    public VolumeHealthReport {
        Objects.requireNonNull(verdict, "verdict");
        entries = List.copyOf(entries);
    }

    /** Returns the report of a plugin that has not reported the health of this volume. */
    public static VolumeHealthReport notReported() {
        return new VolumeHealthReport(HealthVerdict.NOT_REPORTED, List.of());
    }

    /**
     * Creates a report from a response of CSI 1.13 or later. A response without entries means healthy; entries of
     * unknown kinds are ignored.
     *
     * @param reported the health in the response; empty if the response has none
     * @return the report; NOT_REPORTED if the response has no health
     */
    public static VolumeHealthReport of(Optional<VolumeHealth> reported) {
        return reported.map(health -> {
                    List<VolumeHealthEntry> known = health.healthStatuses().stream()
                            .filter(entry -> entry.status() != VolumeHealthStatus.UNKNOWN)
                            .toList();
                    return new VolumeHealthReport(
                            known.isEmpty() ? HealthVerdict.HEALTHY : HealthVerdict.ABNORMAL, known);
                })
                .orElse(notReported());
    }

    /**
     * Creates a report from a volume condition, which plugins report before CSI 1.13.
     *
     * @param condition the condition in the response; empty if the response has none
     * @return the report; NOT_REPORTED if the response has no condition
     */
    public static VolumeHealthReport ofCondition(Optional<VolumeCondition> condition) {
        return condition
                .map(reported -> reported.abnormal()
                        ? new VolumeHealthReport(
                                HealthVerdict.ABNORMAL,
                                List.of(new VolumeHealthEntry(
                                        VolumeHealthStatus.UNKNOWN,
                                        VolumeHealthStatus.UNKNOWN.number(),
                                        CONDITION,
                                        reported.message())))
                        : new VolumeHealthReport(HealthVerdict.HEALTHY, List.of()))
                .orElse(notReported());
    }
}
