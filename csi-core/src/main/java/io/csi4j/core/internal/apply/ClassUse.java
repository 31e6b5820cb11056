package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Sizes;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Makes the specification of a volume from its class, as the class is when the command is applied. */
final class ClassUse {
    private final StateReader state;
    private final Namespace namespace;
    private final VolumeTemplate template;
    private final Optional<SourceSnapshot> snapshot;

    /**
     * Prepares the making of a volume.
     *
     * @param key the volume; if it has been made from the same snapshot, the snapshot may be gone
     */
    ClassUse(StateReader state, VolumeKey key, VolumeTemplate template) {
        this.state = state;
        this.namespace = key.namespace();
        this.template = template;
        boolean made = state.volume(key)
                .filter(volume -> volume.spec().sourceSnapshot().equals(template.sourceSnapshot()))
                .isPresent();
        this.snapshot = made ? Optional.empty() : SourceSnapshot.of(state, template.sourceSnapshot());
    }

    /** Returns the class; empty if it does not exist, or the namespace may not use it. */
    Optional<VolumeClass> found() {
        return state.volumeClass(template.className()).filter(row -> row.usableIn(namespace));
    }

    /** Returns the problem of a class that was not found. It does not say whether the class exists. */
    Problem notFound() {
        return new Problem(
                "className",
                "is " + template.className() + ", and namespace " + namespace + " can use no class of this name",
                "use a class of the list for this namespace, or ask an operator for this one");
    }

    /** Returns all reasons why the volume cannot be made from the class. */
    List<Problem> problems(VolumeClass row) {
        List<Problem> problems = new ArrayList<>(row.problems(template));
        PluginOffer offer = PluginOffer.of(state, row.pluginId());
        if (row.kind() == VolumeKind.INLINE) {
            problems.addAll(offer.problems());
            InlinePlugins.problem(offer, row).ifPresent(problems::add);
            return problems;
        }
        offer.needs(ControllerCapability.CREATE_DELETE_VOLUME, "creating volumes");
        template.contentSource()
                .ifPresent(source -> offer.needs(
                        source instanceof VolumeContentSource.VolumeSource
                                ? ControllerCapability.CLONE_VOLUME
                                : ControllerCapability.CREATE_DELETE_SNAPSHOT,
                        "contentSource"));
        snapshot.ifPresent(source -> problems.addAll(snapshotProblems(source, row, offer)));
        sourceSize(row)
                .filter(size -> limit(row) > 0 && size > limit(row))
                .ifPresent(size -> problems.add(new Problem(
                        "capacityRange.limitBytes",
                        "is " + Sizes.text(limit(row)) + ", and the source has " + Sizes.text(size),
                        "raise it to " + Sizes.text(size) + " at least")));
        if (!row.mutableParameters().isEmpty()) {
            offer.needs(ControllerCapability.MODIFY_VOLUME, "mutableParameters of the class");
        }
        if (!row.allowedTopologies().isEmpty()) {
            offer.needs(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS, "allowedTopologies of the class");
        }
        problems.addAll(offer.problems());
        return problems;
    }

    /** Returns the reason to wait for a plugin that has not said yet what it can do; empty if it has. */
    Optional<AdmissionDecision> unknownPlugin(VolumeClass row) {
        return PluginOffer.of(state, row.pluginId()).problems().stream()
                .findFirst()
                .map(problem -> new AdmissionDecision.Wait(
                        WaitReason.PLUGIN_NOT_KNOWN,
                        List.of(),
                        "the plugin of class " + row.name() + " " + problem.problem() + "; " + problem.remedy()));
    }

    /** Returns the specification of the volume, with all values of the class, and at least as large as its source. */
    VolumeSpec spec(VolumeClass row) {
        VolumeSpec spec = row.spec(template);
        long asked = spec.capacityRange().map(CapacityRange::requiredBytes).orElse(0L);
        // A volume has at least the size of its source, which the provider may have rounded up.
        return sourceSize(row)
                .filter(size -> size > asked)
                .map(size -> spec.toBuilder()
                        .capacityRange(new CapacityRange(size, limit(row)))
                        .restore())
                .orElse(spec);
    }

    private long limit(VolumeClass row) {
        return row.spec(template).capacityRange().map(CapacityRange::limitBytes).orElse(0L);
    }

    private List<Problem> snapshotProblems(SourceSnapshot source, VolumeClass row, PluginOffer offer) {
        offer.needs(ControllerCapability.CREATE_DELETE_SNAPSHOT, "sourceSnapshot");
        Optional<Problem> smaller = template.capacityRange()
                .filter(range -> range.limitBytes() == 0)
                .flatMap(range -> source.leastBytes().flatMap(size -> SourceSnapshot.smaller(range, size)));
        return Stream.concat(source.unusable(row.pluginId()).stream(), smaller.stream())
                .toList();
    }

    /** Returns the size of the volume or snapshot whose content the volume gets; empty if it is not known. */
    private Optional<Long> sourceSize(VolumeClass row) {
        return snapshot.isPresent() ? snapshot.get().leastBytes() : volumeSize(row);
    }

    private Optional<Long> volumeSize(VolumeClass row) {
        return template.contentSource()
                .filter(VolumeContentSource.VolumeSource.class::isInstance)
                .map(VolumeContentSource.VolumeSource.class::cast)
                .flatMap(source -> state.volumeByExternalId(row.pluginId(), source.volumeId()))
                .flatMap(state::volume)
                .map(source -> source.facts().capacityBytes())
                .filter(size -> size > 0);
    }

    ClassOrigin origin(VolumeClass row) {
        return new ClassOrigin(row.name(), row.createIndex(), row.modifyIndex(), row.reclaim());
    }
}
