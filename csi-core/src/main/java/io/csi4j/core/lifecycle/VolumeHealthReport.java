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
 * @param entries all that is wrong; of a volume condition, one with status UNKNOWN and its message
 */
public record VolumeHealthReport(Verdict verdict, List<VolumeHealthEntry> entries) {
    private static final String CONDITION = "VolumeCondition";

    /** Copies the list. */
    public VolumeHealthReport {
        Objects.requireNonNull(verdict, "verdict");
        entries = List.copyOf(entries);
    }

    /** What is known of a volume's health. */
    public enum Verdict {
        /** The plugin says that nothing is wrong. */
        HEALTHY,
        /** The plugin says that something is. */
        ABNORMAL,
        /** The plugin cannot tell, or did not. */
        NOT_TOLD
    }

    static VolumeHealthReport notTold() {
        return new VolumeHealthReport(Verdict.NOT_TOLD, List.of());
    }

    /** Empty statuses mean healthy; an absent message means nothing. */
    static VolumeHealthReport of(Optional<VolumeHealth> health) {
        return health.map(told -> new VolumeHealthReport(
                        told.healthStatuses().isEmpty() ? Verdict.HEALTHY : Verdict.ABNORMAL, told.healthStatuses()))
                .orElse(notTold());
    }

    static VolumeHealthReport ofCondition(Optional<VolumeCondition> condition) {
        return condition
                .map(told -> told.abnormal()
                        ? new VolumeHealthReport(
                                Verdict.ABNORMAL,
                                List.of(new VolumeHealthEntry(
                                        VolumeHealthStatus.UNKNOWN,
                                        VolumeHealthStatus.UNKNOWN.number(),
                                        CONDITION,
                                        told.message())))
                        : new VolumeHealthReport(Verdict.HEALTHY, List.of()))
                .orElse(notTold());
    }
}
