package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Merges a new specification into a registered volume: given fields replace the old ones, missing fields keep their
 * values, and a change of an immutable field is a conflict. Finds all conflicts; their texts contain no sensitive
 * value.
 */
public final class VolumeMerge {
    private final Volume volume;
    private final VolumeSpec declared;
    private final List<Problem> conflicts = new ArrayList<>();

    private VolumeMerge(Volume volume, VolumeSpec declared) {
        this.volume = volume;
        this.declared = declared;
    }

    /** Compares a volume with a new specification. */
    public static VolumeMerge of(Volume volume, VolumeSpec declared) {
        VolumeMerge merge = new VolumeMerge(volume, declared);
        merge.identity();
        merge.capabilities();
        merge.mountOptions();
        merge.immutable();
        merge.volumeContext();
        merge.topology();
        merge.capacity();
        merge.creation();
        return merge;
    }

    /**
     * Compares an existing volume with the specification of another request to create it. Such a request must not
     * change the volume, so each declared field has to equal the volume's. Only the capacity range may differ, if it
     * contains the volume's size.
     *
     * @return all conflicts, in a fixed order; empty if the request describes the existing volume
     */
    public static List<Problem> repeat(Volume volume, VolumeSpec declared) {
        if (volume.origin() != VolumeOrigin.CREATED) {
            String made = volume.isInline() ? "an inline volume" : "a volume that was registered";
            return List.of(new Problem("id", "is that of " + made, "create it under another id"));
        }
        VolumeMerge merge = new VolumeMerge(volume, declared);
        merge.identity();
        merge.immutable();
        merge.volumeContext();
        merge.requested(merge.withinRange());
        merge.credentials();
        return merge.conflicts();
    }

    /** Returns all conflicts, in a fixed order; empty if the specification can be merged. */
    public List<Problem> conflicts() {
        return List.copyOf(conflicts);
    }

    /**
     * Returns the merged specification.
     *
     * @throws IllegalStateException if there are conflicts
     */
    public VolumeSpec merged() {
        if (!conflicts.isEmpty()) {
            throw new IllegalStateException("VolumeMerge: there are conflicts; ask for them first");
        }
        VolumeSpec known = volume.spec();
        return declared.toBuilder()
                .name(declared.name().isEmpty() ? known.name() : declared.name())
                .externalVolumeId(
                        declared.externalVolumeId().or(known::externalVolumeId).orElse(null))
                .mountOptions(declared.mountOptions().isEmpty() ? known.mountOptions() : declared.mountOptions())
                .secrets(declared.secrets().isEmpty() ? known.secrets() : declared.secrets())
                .parameters(declared.parameters().isEmpty() ? known.parameters() : declared.parameters())
                .mutableParameters(
                        declared.mutableParameters().isEmpty()
                                ? known.mutableParameters()
                                : declared.mutableParameters())
                .volumeContext(declared.volumeContext().isEmpty() ? known.volumeContext() : declared.volumeContext())
                .capacityRange(declared.capacityRange().or(known::capacityRange).orElse(null))
                .contentSource(declared.contentSource().or(known::contentSource).orElse(null))
                .sourceSnapshot(
                        declared.sourceSnapshot().or(known::sourceSnapshot).orElse(null))
                .accessibilityRequirements(declared.accessibilityRequirements()
                        .or(known::accessibilityRequirements)
                        .orElse(null))
                .fencingPolicy(declared.declaredFencingPolicy()
                        .or(known::declaredFencingPolicy)
                        .orElse(null))
                .restore();
    }

    private void identity() {
        if (!declared.pluginId().equals(volume.pluginId())) {
            conflict(
                    "pluginId",
                    "is " + declared.pluginId() + " but the volume is one of plugin " + volume.pluginId(),
                    "register it under another id");
        }
        if (!declared.name().isEmpty() && !declared.name().equals(volume.name())) {
            conflict("name", "differs from the volume's", "leave it out, or use " + volume.name());
        }
        declared.externalVolumeId()
                .filter(id -> !Optional.of(id).equals(volume.externalVolumeId()))
                .ifPresent(id -> conflict(
                        "externalVolumeId",
                        "is " + id + " but the volume stands for "
                                + volume.externalVolumeId()
                                        .map(Object::toString)
                                        .orElse("one yet to be created"),
                        "register " + id + " under another id"));
    }

    private void capabilities() {
        volume.currentCapability()
                .filter(current -> !declared.requestedCapabilities().contains(current))
                .ifPresent(current -> conflict(
                        "requestedCapabilities",
                        "leave out " + current + ", as which the volume is in use",
                        "keep it among them until its claims are released"));
    }

    private void mountOptions() {
        if (volume.inUse()
                && !declared.mountOptions().isEmpty()
                && !declared.mountOptions().equals(volume.spec().mountOptions())) {
            conflict("mountOptions", "differ while the volume is in use", "change them once its claims are released");
        }
    }

    private void immutable() {
        VolumeSpec known = volume.spec();
        if (!declared.parameters().isEmpty() && !declared.parameters().equals(known.parameters())) {
            conflict("parameters", "differ from those it was made with", "leave them out; they cannot be changed");
        }
        if (declared.contentSource().isPresent() && !declared.contentSource().equals(known.contentSource())) {
            conflict("contentSource", "differs from the one it was made with", "leave it out; it cannot be changed");
        }
        if (declared.sourceSnapshot().isPresent() && !declared.sourceSnapshot().equals(known.sourceSnapshot())) {
            conflict("sourceSnapshot", "differs from the one it was made with", "leave it out; it cannot be changed");
        }
    }

    /**
     * Adds a conflict if the volume context differs from the one that the plugin returned, which never changes (R57).
     */
    private void volumeContext() {
        if (volume.origin() == VolumeOrigin.CREATED
                && !declared.volumeContext().isEmpty()
                && !declared.volumeContext().equals(volume.spec().volumeContext())
                && !declared.volumeContext().equals(volume.volumeContext())) {
            conflict("volumeContext", "differs from the one the provider gave", "leave it out");
        }
    }

    /**
     * Adds a conflict for each changed field that CreateVolume sends. While the volume is being created, each retry has
     * to send the same fields (R29).
     */
    private void creation() {
        if (volume.phase() == VolumePhase.CREATING) {
            requested(false);
        }
    }

    /**
     * Adds a conflict for each declared field of CreateVolume that differs from the field of the registered volume.
     *
     * @param withinRange whether the volume's size is within the declared capacity range; then a different range is no
     *     conflict
     */
    private void requested(boolean withinRange) {
        VolumeSpec known = volume.spec();
        boolean sameCapabilities =
                Set.copyOf(declared.requestedCapabilities()).equals(Set.copyOf(known.requestedCapabilities()));
        created("requestedCapabilities", sameCapabilities, "register them");
        created(
                "mountOptions",
                declared.mountOptions().isEmpty() || declared.mountOptions().equals(known.mountOptions()),
                "register them");
        created(
                "mutableParameters",
                declared.mutableParameters().isEmpty()
                        || declared.mutableParameters().equals(known.mutableParameters()),
                "modify the volume");
        created(
                "capacityRange",
                withinRange
                        || declared.capacityRange().isEmpty()
                        || declared.capacityRange().equals(known.capacityRange())
                        || leftToSource(declared.capacityRange().get()),
                "expand the volume");
        boolean samePlaces = declared.accessibilityRequirements().isEmpty()
                || declared.accessibilityRequirements().equals(known.accessibilityRequirements());
        created("accessibilityRequirements", samePlaces, "create another volume: a volume does not move");
    }

    /** Returns whether a range leaves the required size to the snapshot, which has set it. */
    private boolean leftToSource(CapacityRange range) {
        return volume.spec().sourceSnapshot().isPresent()
                && range.requiredBytes() == 0
                && volume.spec()
                        .capacityRange()
                        .filter(known -> known.limitBytes() == range.limitBytes())
                        .isPresent();
    }

    private boolean withinRange() {
        long size = volume.facts().capacityBytes();
        return size > 0
                && declared.capacityRange()
                        .filter(range -> range.requiredBytes() <= size)
                        .filter(range -> range.limitBytes() == 0 || range.limitBytes() >= size)
                        .isPresent();
    }

    private void credentials() {
        VolumeSpec known = volume.spec();
        created(
                "secrets",
                declared.secrets().isEmpty() || declared.secrets().equals(known.secrets()),
                "register the volume with them");
        created(
                "fencingPolicy",
                declared.declaredFencingPolicy().isEmpty()
                        || declared.declaredFencingPolicy().equals(known.declaredFencingPolicy()),
                "register the volume with it");
        created(
                "sharedWith",
                declared.sharedWith().isEmpty() || declared.sharedWith().equals(known.sharedWith()),
                "register the volume with it");
    }

    private void created(String field, boolean same, String change) {
        boolean conflicting = conflicts.stream().anyMatch(known -> known.field().equals(field));
        if (!same && !conflicting) {
            String creating = volume.phase() == VolumePhase.CREATING ? "wait until the volume is created, then " : "";
            conflict(
                    field,
                    "differs from that of the creation of the volume",
                    "repeat it as it was; to change it, " + creating + change);
        }
    }

    /** Adds a conflict if the topology requirement changes after the volume's topology is known. */
    private void topology() {
        if (!volume.facts().accessibleTopology().isEmpty()
                && !declared.accessibilityRequirements().equals(volume.spec().accessibilityRequirements())) {
            conflict(
                    "accessibilityRequirements",
                    "differ from those the volume was placed by",
                    "repeat them as they were: a volume does not move");
        }
    }

    private void capacity() {
        long size = volume.facts().capacityBytes();
        declared.capacityRange()
                .map(CapacityRange::limitBytes)
                .filter(limit -> limit > 0 && limit < size)
                .ifPresent(limit -> conflict(
                        "capacityRange.limitBytes",
                        "is " + limit + ", below the " + size + " bytes the volume has",
                        "raise it: a volume does not shrink"));
    }

    private void conflict(String field, String problem, String remedy) {
        conflicts.add(new Problem(field, problem, remedy));
    }
}
