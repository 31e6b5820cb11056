package io.csi4j.examples.lifecycle;

import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealth;
import java.util.Optional;
import java.util.stream.Collectors;

/** Describes the health of a volume. */
final class HealthText {
    private HealthText() {}

    static String text(Optional<VolumeCondition> condition) {
        return condition
                .map(known -> (known.abnormal() ? ", ABNORMAL: " : ", normal: ") + known.message())
                .orElse("");
    }

    /** An empty list of statuses means healthy (R104). */
    static String health(Optional<VolumeHealth> health) {
        if (health.isEmpty()) {
            return "no health given";
        }
        if (health.get().healthStatuses().isEmpty()) {
            return "healthy";
        }
        return health.get().healthStatuses().stream()
                .map(entry -> entry.status() + " " + entry.reason() + ": " + entry.message())
                .collect(Collectors.joining("; "));
    }
}
