package io.csi4j.core.volume;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.internal.text.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Finds all problems of a volume class. The problems contain no sensitive value. */
final class ClassCheck {
    private final CsiLimits limits = new CsiLimits();

    private ClassCheck() {}

    static List<Problem> problems(VolumeClass volumeClass) {
        // A volume of the class has these fields, so they have the rules of a volume's specification.
        List<Problem> problems = new ArrayList<>(VolumeSpec.builder(volumeClass.pluginId())
                .requestedCapabilities(volumeClass.requestedCapabilities())
                .mountOptions(volumeClass.mountOptions())
                .secrets(volumeClass.secrets())
                .parameters(volumeClass.parameters())
                .mutableParameters(volumeClass.mutableParameters())
                .restore()
                .problems());
        ClassCheck check = new ClassCheck();
        check.reserved("parameters", volumeClass.parameters());
        check.reserved("mutableParameters", volumeClass.mutableParameters());
        check.sizes(volumeClass);
        check.topologies(volumeClass);
        problems.addAll(check.limits.problems());
        return List.copyOf(problems);
    }

    private void reserved(String field, Map<String, String> entries) {
        long reserved = entries.keySet().stream()
                .filter(key -> key.startsWith(VolumeClass.RESERVED_PREFIX))
                .count();
        if (reserved > 0) {
            limits.add(
                    field,
                    "has keys that begin with " + VolumeClass.RESERVED_PREFIX + ": " + reserved,
                    "leave them out: these keys are reserved for the orchestrator");
        }
    }

    private void sizes(VolumeClass volumeClass) {
        long least = volumeClass.leastBytes();
        long greatest = volumeClass.greatestBytes();
        if (least < 0) {
            limits.add("leastBytes", "is " + least, "give a size, or 0 for no limit");
        }
        if (greatest < 0) {
            limits.add("greatestBytes", "is " + greatest, "give a size, or 0 for no limit");
        }
        if (greatest > 0 && greatest < least) {
            limits.add(
                    "greatestBytes",
                    "is " + Sizes.text(greatest) + ", below leastBytes, " + Sizes.text(least),
                    "raise it, or lower leastBytes");
        } else if (least >= 0 && greatest >= 0) {
            volumeClass
                    .defaultCapacity()
                    .ifPresent(range -> capacity(limits, "defaultCapacity", range, least, greatest));
        }
    }

    /** Adds the problems of a requested size with the limits of a class. */
    static void capacity(CsiLimits problems, String field, CapacityRange range, long least, long greatest) {
        if (range.requiredBytes() < least) {
            problems.add(
                    field + ".requiredBytes",
                    "is " + Sizes.text(range.requiredBytes()) + ", and the least size of the class is "
                            + Sizes.text(least),
                    "raise it to " + Sizes.text(least) + " at least");
        }
        if (greatest > 0 && range.requiredBytes() > greatest) {
            problems.add(
                    field + ".requiredBytes",
                    "is " + Sizes.text(range.requiredBytes()) + ", and the greatest size of the class is "
                            + Sizes.text(greatest),
                    "lower it to " + Sizes.text(greatest) + " at most");
        }
        if (greatest > 0 && range.limitBytes() > greatest) {
            problems.add(
                    field + ".limitBytes",
                    "is " + Sizes.text(range.limitBytes()) + ", and the greatest size of the class is "
                            + Sizes.text(greatest),
                    "lower it to " + Sizes.text(greatest) + " at most, or leave it out");
        }
    }

    private void topologies(VolumeClass volumeClass) {
        int count = volumeClass.allowedTopologies().size();
        if (count > VolumeClass.MOST_TOPOLOGIES) {
            limits.add(
                    "allowedTopologies",
                    "are " + count,
                    "give at most " + VolumeClass.MOST_TOPOLOGIES + ", for example with fewer keys each");
        }
        for (int i = 0; i < count; i++) {
            limits.topology(
                    "allowedTopologies[" + i + "]",
                    volumeClass.allowedTopologies().get(i));
        }
    }
}
