package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.Optional;

/** Compares the response of CreateVolume with the request (R53, R55, R57). */
public final class VolumeAnswer {
    private VolumeAnswer() {}

    /** Returns how the created volume differs from the request, as text for operators; empty if it matches. */
    static Optional<String> problem(VolumeSpec spec, ProviderFacts reported, boolean contentSourceRequired) {
        return sizeProblem(spec.capacityRange(), reported.capacityBytes())
                .or(() -> sourceProblem(spec.contentSource(), reported.contentSource(), contentSourceRequired))
                .or(() -> topologyProblem(
                        spec.accessibilityRequirements()
                                .map(change -> change.requisite())
                                .orElse(List.of()),
                        reported.accessibleTopology()));
    }

    /** Checks the size of the created volume. A size of 0 means that the plugin did not report the size. */
    private static Optional<String> sizeProblem(Optional<CapacityRange> range, long capacityBytes) {
        if (range.isEmpty() || capacityBytes == 0) {
            return Optional.empty();
        }
        if (capacityBytes < range.get().requiredBytes()) {
            return Optional.of("the volume has " + capacityBytes + " bytes, and "
                    + range.get().requiredBytes() + " are required");
        }
        return range.get().limitBytes() > 0 && capacityBytes > range.get().limitBytes()
                ? Optional.of("the volume has " + capacityBytes + " bytes, above the limit of "
                        + range.get().limitBytes())
                : Optional.empty();
    }

    private static Optional<String> sourceProblem(
            Optional<VolumeContentSource> asked, Optional<VolumeContentSource> reported, boolean required) {
        if (asked.isEmpty() || asked.equals(reported)) {
            return Optional.empty();
        }
        if (reported.isPresent()) {
            return Optional.of("the volume was filled from " + reported.get() + " and not from " + asked.get());
        }
        return required
                ? Optional.of("it does not say that the volume was filled from " + asked.get())
                : Optional.empty();
    }

    /**
     * Checks the topology of the created volume. A response without topology means that the volume is accessible from
     * everywhere.
     */
    private static Optional<String> topologyProblem(List<Topology> requisite, List<Topology> reported) {
        boolean within = requisite.isEmpty()
                || reported.isEmpty()
                || reported.stream().anyMatch(topology -> requisite.stream().anyMatch(topology::contains));
        return within
                ? Optional.empty()
                : Optional.of("the volume is accessible from " + reported + ", and none of " + requisite + " is there");
    }

    /**
     * Returns whether the plugin created a volume that did not match its request. Such a volume must not become
     * available.
     */
    public static boolean isMismatch(Volume volume, boolean contentSourceRequired) {
        return volume.origin() == VolumeOrigin.CREATED
                && problem(volume.spec(), volume.facts(), contentSourceRequired).isPresent();
    }

    static ProviderFacts facts(ExternalVolume answer) {
        return ProviderFacts.builder()
                .externalVolumeId(answer.volumeId())
                .capacityBytes(answer.capacityBytes())
                .accessibleTopology(answer.accessibleTopology())
                .volumeContext(answer.volumeContext())
                .contentSource(answer.contentSource().orElse(null))
                .build();
    }
}
