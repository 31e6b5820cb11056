package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The health of a volume, whichever of the two models of CSI the plugin speaks: the volume condition up to
 * 1.12, or volume health since 1.13 (R104).
 *
 * @param verdict what is known
 * @param entries all that is wrong, of the kinds that this version knows; of a volume condition, one with status UNKNOWN
 *     and its message
 */
public record VolumeHealthReport(HealthVerdict verdict, List<VolumeHealthEntry> entries) {
    private static final String CONDITION = "VolumeCondition";

    /** Copies the list. */
    public VolumeHealthReport {
        Objects.requireNonNull(verdict, "verdict");
        entries = List.copyOf(entries);
    }

    /** Returns the report of a plugin that has not reported the health of this volume. */
    public static VolumeHealthReport notReported() {
        return new VolumeHealthReport(HealthVerdict.NOT_TOLD, List.of());
    }

    /**
     * What a plugin told since 1.13. No entries mean healthy; kinds that this version does not know are ignored.
     *
     * @param told the health in its answer; empty: it told none
     * @return the report; NOT_TOLD without a word
     */
    public static VolumeHealthReport of(Optional<VolumeHealth> told) {
        return told.map(health -> {
                    List<VolumeHealthEntry> known = health.healthStatuses().stream()
                            .filter(entry -> entry.status() != VolumeHealthStatus.UNKNOWN)
                            .toList();
                    return new VolumeHealthReport(
                            known.isEmpty() ? HealthVerdict.HEALTHY : HealthVerdict.ABNORMAL, known);
                })
                .orElse(notReported());
    }

    /**
     * What a plugin told up to 1.12.
     *
     * @param condition the condition in its answer; empty: it told none
     * @return the report; NOT_TOLD without a word
     */
    public static VolumeHealthReport ofCondition(Optional<VolumeCondition> condition) {
        return condition
                .map(told -> told.abnormal()
                        ? new VolumeHealthReport(
                                HealthVerdict.ABNORMAL,
                                List.of(new VolumeHealthEntry(
                                        VolumeHealthStatus.UNKNOWN,
                                        VolumeHealthStatus.UNKNOWN.number(),
                                        CONDITION,
                                        told.message())))
                        : new VolumeHealthReport(HealthVerdict.HEALTHY, List.of()))
                .orElse(notReported());
    }
}
