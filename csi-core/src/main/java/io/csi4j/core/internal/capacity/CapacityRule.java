package io.csi4j.core.internal.capacity;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.PlacementFacts;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.internal.text.Sizes;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.CapacityCheck;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.PlaceCapacity;
import io.csi4j.core.volume.StorageCapacity;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeTemplate;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Decides whether a plugin has capacity for a volume that a claim would make, as far as that is known. */
public final class CapacityRule {
    private static final Verdict UNKNOWN = new Verdict(Optional.empty(), false, OptionalLong.empty());

    private final StateReader state;
    private final StorageCapacity capacity;

    public CapacityRule(StateReader state, StorageCapacity capacity) {
        this.state = state;
        this.capacity = capacity;
    }

    /**
     * The known capacity for a volume, and its meaning for the placement.
     *
     * @param refusal the reason why the volume must not be made here; empty if it may
     * @param unlikely whether the volume does not fit by the last answers of the plugin, however old they are
     * @param freeBytes the capacity that is left with the volume, which may be negative; empty if it is not known
     */
    public record Verdict(Optional<AdmissionDecision.Never> refusal, boolean unlikely, OptionalLong freeBytes) {}

    /**
     * Decides about a volume, and adds it to the use, so that the next volume of the same set finds less.
     *
     * @param volume the volume as it would be made
     * @param facts the facts about the node and the plugin of the volume
     * @param use the volumes that are being made, or are to be made
     */
    public Verdict check(Volume volume, ClaimRequest request, PlacementFacts facts, CapacityUse use) {
        Optional<VolumeClass> row = checked(volume, request);
        Optional<CapacityPlace> place = row.flatMap(known -> CapacityPlace.of(known.name(), facts));
        if (place.isEmpty()) {
            return UNKNOWN;
        }
        VolumeClass known = row.orElseThrow();
        use.add(volume.key(), place.get(), CapacityUse.bytes(volume));
        Verdict verdict = capacity.at(known, place.get().topology())
                .map(there -> verdict(volume, known, there, place.get(), use, facts.nodeId()))
                .orElse(UNKNOWN);
        if (verdict.refusal().isPresent()) {
            capacity.refused(known, place.get().topology());
        }
        return verdict;
    }

    /** Adds a volume to the use without a decision. */
    public void add(Volume volume, ClaimRequest request, PlacementFacts facts, CapacityUse use) {
        checked(volume, request)
                .flatMap(row -> CapacityPlace.of(row.name(), facts))
                .ifPresent(place -> use.add(volume.key(), place, CapacityUse.bytes(volume)));
    }

    /** Returns the class of a volume if the known capacity counts for the volume. */
    private Optional<VolumeClass> checked(Volume volume, ClaimRequest request) {
        return volume.classOrigin()
                .map(ClassOrigin::name)
                .flatMap(state::volumeClass)
                .filter(VolumeClass::checksCapacity)
                .filter(row -> isAsked(row, request));
    }

    /**
     * Returns whether the answers of the plugin are about such a volume. They are about the capabilities of the class, and
     * other capabilities may have other pools.
     */
    private static boolean isAsked(VolumeClass row, ClaimRequest request) {
        return request.template()
                .map(VolumeTemplate::requestedCapabilities)
                .filter(own -> own.isEmpty() || new HashSet<>(own).equals(new HashSet<>(row.requestedCapabilities())))
                .isPresent();
    }

    private static Verdict verdict(
            Volume volume, VolumeClass row, PlaceCapacity there, CapacityPlace place, CapacityUse use, NodeId nodeId) {
        long bytes = CapacityUse.bytes(volume);
        // With this volume, which was added to the use. Neither number is negative, so the difference does not
        // overflow.
        long taken = CapacityUse.sum(there.madeBytes(), use.at(place));
        OptionalLong left = there.availableBytes().isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(there.availableBytes().getAsLong() - taken);
        String refused = refused(there, bytes);
        String small = tooSmall(volume, there, taken - bytes, left);
        boolean required = row.capacityCheck() == CapacityCheck.REQUIRED;
        String reason = refused != null ? refused : there.recent() ? small : null;
        Optional<AdmissionDecision.Never> refusal = required && reason != null
                ? Optional.of(new AdmissionDecision.Never(
                        NeverReason.NO_CAPACITY_IN_TOPOLOGY,
                        "plugin " + row.pluginId() + " has no room near node " + nodeId
                                + place.topology()
                                        .map(topology -> " in " + topology)
                                        .orElse("")
                                + " for " + Sizes.text(bytes) + " of class " + row.name() + ": " + reason
                                + "; place the allocation elsewhere, or free capacity"))
                : Optional.empty();
        return new Verdict(refusal, refused != null || small != null, left);
    }

    private static @Nullable String refused(PlaceCapacity there, long bytes) {
        return there.refusedBytes().isPresent() && bytes >= there.refusedBytes().getAsLong()
                ? "it has refused " + Sizes.text(there.refusedBytes().getAsLong()) + " there since its last answer"
                : null;
    }

    private static @Nullable String tooSmall(Volume volume, PlaceCapacity there, long others, OptionalLong left) {
        long bytes = CapacityUse.bytes(volume);
        long limit =
                volume.spec().capacityRange().map(CapacityRange::limitBytes).orElse(0L);
        String since = " " + Durations.text(there.age().orElse(Duration.ZERO)) + " ago";
        if (there.maximumVolumeSize().isPresent()
                && bytes > there.maximumVolumeSize().getAsLong()) {
            return "its largest volume there was "
                    + Sizes.text(there.maximumVolumeSize().getAsLong()) + since;
        }
        if (limit > 0
                && there.minimumVolumeSize().isPresent()
                && limit < there.minimumVolumeSize().getAsLong()) {
            return "its smallest volume there was "
                    + Sizes.text(there.minimumVolumeSize().getAsLong()) + since + ", above the limit of "
                    + Sizes.text(limit);
        }
        // A volume without a size needs some capacity.
        if (left.isEmpty() || left.getAsLong() >= (bytes == 0 ? 1 : 0)) {
            return null;
        }
        return Sizes.text(there.availableBytes().orElse(0)) + " were free there" + since
                + (others <= 0 ? "" : ", and " + Sizes.text(others) + " are for other volumes");
    }
}
