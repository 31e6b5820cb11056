package io.csi4j.core.internal.command;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeLifetime;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Compares a volume with a template. A field that the template leaves to the class is not compared, because the class may
 * have changed since the volume was made.
 */
public final class TemplateDifference {
    /** The field that names the owner of the volume. */
    static final String WORKLOAD = "workload";

    private static final String OTHER = "repeat the request as it was, or use another volume";

    private TemplateDifference() {}

    /** Returns all differences; empty if the volume was made from this template. */
    public static List<Problem> of(Volume volume, VolumeTemplate template) {
        List<Problem> differences = new ArrayList<>();
        Optional<VolumeClassName> made = volume.classOrigin().map(ClassOrigin::name);
        if (!made.equals(Optional.of(template.className()))) {
            differences.add(new Problem(
                    "className",
                    "is " + template.className() + ", but the volume was made "
                            + made.map(name -> "from class " + name).orElse("without a class"),
                    OTHER));
        }
        if (template.lifetime() != lifetime(volume)) {
            differences.add(new Problem(
                    "lifetime", "is " + template.lifetime() + ", but the volume's is " + lifetime(volume), OTHER));
        }
        Optional<WorkloadOwner> workload =
                volume.owner().flatMap(VolumeOwner::ofWorkload).map(VolumeOwner.OfWorkload::workload);
        if (template.workload().isPresent() && workload.isPresent() && !workload.equals(template.workload())) {
            differences.add(new Problem(
                    WORKLOAD,
                    "is " + template.workload().get() + ", but the volume belongs to " + workload.get(),
                    "let the volume be adopted first, or use another one"));
        }
        if (!template.requestedCapabilities().isEmpty()
                && !Set.copyOf(template.requestedCapabilities())
                        .equals(Set.copyOf(volume.spec().requestedCapabilities()))) {
            differences.add(new Problem(
                    "requestedCapabilities",
                    "are " + template.requestedCapabilities() + ", but the volume has "
                            + volume.spec().requestedCapabilities(),
                    OTHER));
        }
        if (volume.isInline() && !template.attributes().equals(volume.spec().parameters())) {
            differences.add(new Problem("attributes", "differ from those of the inline volume", OTHER));
        }
        if (template.sourceSnapshot().isPresent()) {
            if (!template.sourceSnapshot().equals(volume.spec().sourceSnapshot())) {
                differences.add(
                        new Problem("sourceSnapshot", "differs from the one that the volume was made with", OTHER));
            }
        } else if (!template.contentSource().equals(volume.spec().contentSource())) {
            differences.add(new Problem("contentSource", "differs from the one that the volume was made with", OTHER));
        }
        template.capacityRange()
                .filter(range -> !Optional.of(range).equals(volume.spec().capacityRange()))
                .filter(range -> !contains(range, volume.facts().capacityBytes()))
                .filter(range -> !raisedToSource(range, volume))
                .ifPresent(range -> differences.add(new Problem(
                        "capacityRange",
                        "is " + range + ", but the volume "
                                + (volume.facts().capacityBytes() > 0
                                        ? "has " + volume.facts().capacityBytes() + " bytes"
                                        : "was asked for with another one"),
                        "use the size of the volume, or expand it")));
        return differences;
    }

    private static VolumeLifetime lifetime(Volume volume) {
        return volume.owner()
                .map(owner -> owner.ofAllocation().isPresent() ? VolumeLifetime.ALLOCATION : VolumeLifetime.WORKLOAD)
                .orElse(VolumeLifetime.PERSISTENT);
    }

    /** Returns whether a volume was asked for with this range, raised to the size of its source. */
    private static boolean raisedToSource(CapacityRange range, Volume volume) {
        return volume.spec().contentSource().isPresent()
                && volume.spec()
                        .capacityRange()
                        .filter(asked -> asked.requiredBytes() > range.requiredBytes()
                                && asked.limitBytes() == range.limitBytes())
                        .isPresent();
    }

    private static boolean contains(CapacityRange range, long bytes) {
        return bytes > 0 && range.requiredBytes() <= bytes && (range.limitBytes() == 0 || bytes <= range.limitBytes());
    }
}
