package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes the specification of a volume from its class, as the class is when the command is applied. */
final class ClassUse {
    private final StateReader state;
    private final Namespace namespace;
    private final VolumeTemplate template;

    ClassUse(StateReader state, Namespace namespace, VolumeTemplate template) {
        this.state = state;
        this.namespace = namespace;
        this.template = template;
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
        PluginOffer offer = PluginOffer.of(state, row.pluginId())
                .needs(ControllerCapability.CREATE_DELETE_VOLUME, "creating volumes");
        if (!row.mutableParameters().isEmpty()) {
            offer.needs(ControllerCapability.MODIFY_VOLUME, "mutableParameters of the class");
        }
        if (!row.allowedTopologies().isEmpty()) {
            offer.needs(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS, "allowedTopologies of the class");
        }
        problems.addAll(offer.problems());
        return problems;
    }

    /** Returns the specification of the volume, with all values of the class. */
    VolumeSpec spec(VolumeClass row) {
        return row.spec(template);
    }

    ClassOrigin origin(VolumeClass row) {
        return new ClassOrigin(row.name(), row.createIndex(), row.modifyIndex(), row.reclaim());
    }

    /** Returns all differences between a volume and a template of which it should have been made. */
    static List<Problem> repeat(Volume volume, VolumeTemplate template) {
        List<Problem> conflicts = new ArrayList<>();
        Optional<VolumeClassName> made = volume.classOrigin().map(ClassOrigin::name);
        if (!made.equals(Optional.of(template.className()))) {
            conflicts.add(new Problem(
                    "className",
                    "is " + template.className() + ", but the volume was made "
                            + made.map(name -> "from class " + name).orElse("without a class"),
                    "repeat the creation as it was, or create another volume"));
        }
        VolumeSpec.Builder declared = VolumeSpec.builder(volume.pluginId())
                .requestedCapabilities(
                        template.requestedCapabilities().isEmpty()
                                ? volume.spec().requestedCapabilities()
                                : template.requestedCapabilities())
                .capacityRange(template.capacityRange().orElse(null));
        conflicts.addAll(VolumeMerge.repeat(volume, declared.restore()));
        return conflicts;
    }
}
