package io.csi4j.core.volume;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.internal.text.Sizes;
import java.util.ArrayList;
import java.util.List;

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
        check.sizes(volumeClass);
        check.topologies(volumeClass);
        check.kind(volumeClass);
        problems.addAll(check.limits.problems());
        return List.copyOf(problems);
    }

    /** Adds the problems of a class with the kind of its volumes. */
    private void kind(VolumeClass volumeClass) {
        if (volumeClass.kind() == VolumeKind.INLINE) {
            inline(volumeClass);
            return;
        }
        if (!volumeClass.attributeKeys().isEmpty()) {
            limits.add(
                    "attributeKeys", "are given for kind " + volumeClass.kind(), "leave them out, or use kind INLINE");
        }
        if (volumeClass.ephemeral()) {
            limits.add("ephemeral", "is set for kind " + volumeClass.kind(), "unset it, or use kind INLINE");
        }
    }

    private void inline(VolumeClass volumeClass) {
        String size = "leave it out: an inline volume has no size; use kind CREATED and a template with the lifetime"
                + " ALLOCATION for a volume that takes space";
        unused(volumeClass.defaultCapacity().isPresent(), "defaultCapacity", size);
        unused(volumeClass.leastBytes() != 0, "leastBytes", size);
        unused(volumeClass.greatestBytes() != 0, "greatestBytes", size);
        unused(
                !volumeClass.mutableParameters().isEmpty(),
                "mutableParameters",
                "leave them out: an inline volume is not modified");
        unused(
                !volumeClass.allowedTopologies().isEmpty(),
                "allowedTopologies",
                "leave them out: an inline volume is made on the node of its allocation");
        unused(
                volumeClass.reclaim() == ReclaimPolicy.RETAIN,
                "reclaim",
                "use DELETE: an inline volume ends with its allocation");
        unused(
                volumeClass.capacityCheck() == CapacityCheck.REQUIRED,
                "capacityCheck",
                "leave it out: an inline volume has no size");
        unused(!volumeClass.useByTemplate(), "useByTemplate", "leave it out: only claims make inline volumes");
        for (int i = 0; i < volumeClass.requestedCapabilities().size(); i++) {
            unused(
                    volumeClass.requestedCapabilities().get(i).attachmentMode() == AttachmentMode.BLOCK,
                    "requestedCapabilities[" + i + "]",
                    "use MOUNT: an inline volume has files");
        }
        for (String key : volumeClass.attributeKeys()) {
            if (key.isEmpty() || key.startsWith(CsiLimits.RESERVED_PREFIX)) {
                limits.add(
                        "attributeKeys",
                        key.isEmpty() ? "have an empty key" : "have the key " + key,
                        "leave it out: keys that begin with " + CsiLimits.RESERVED_PREFIX
                                + " are reserved for the orchestrator");
            } else if (volumeClass.parameters().containsKey(key)) {
                limits.add(
                        "attributeKeys",
                        "have the key " + key + ", whose value parameters fixes",
                        "leave it out there, or in parameters");
            }
        }
    }

    private void unused(boolean given, String field, String remedy) {
        if (given) {
            limits.add(field, "is given for kind INLINE", remedy);
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
