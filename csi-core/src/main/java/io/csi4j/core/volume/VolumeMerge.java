package io.csi4j.core.volume;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A known volume meets a new declaration: what the declaration gives replaces what was, what it
 * leaves out stays, and what must not change is a conflict. All conflicts are found at once, and none
 * shows a value that is not to be shown.
 */
public final class VolumeMerge {
    private final Volume volume;
    private final VolumeSpec declared;
    private final List<Problem> conflicts = new ArrayList<>();

    private VolumeMerge(Volume volume, VolumeSpec declared) {
        this.volume = volume;
        this.declared = declared;
        identity();
        capabilities();
        mountOptions();
        immutable();
        topology();
        capacity();
    }

    /**
     * Compares a volume with a new declaration.
     *
     * @param volume the volume as it is
     * @param declared the new declaration
     * @return the merge
     */
    public static VolumeMerge of(Volume volume, VolumeSpec declared) {
        return new VolumeMerge(volume, declared);
    }

    /**
     * Every field in conflict, in a fixed order.
     *
     * @return empty: the declaration can be merged
     */
    public List<Problem> conflicts() {
        return List.copyOf(conflicts);
    }

    /**
     * The declaration to store.
     *
     * @return the merged one
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
            conflict("parameters", "differ from those it was made with", "leave them out; they are fixed for good");
        }
        if (declared.contentSource().isPresent() && !declared.contentSource().equals(known.contentSource())) {
            conflict("contentSource", "differs from the one it was made with", "leave it out; it is fixed for good");
        }
    }

    /** Once it is known from where the volume is accessible, a change of the wish would say otherwise. */
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
