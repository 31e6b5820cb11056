package io.csi4j.core.volume;

import io.csi4j.core.call.Problem;
import io.csi4j.core.internal.check.CsiLimits;
import java.util.List;
import java.util.TreeSet;

/** Finds all problems of a template with the limits of its class. The problems contain no value of an attribute. */
final class TemplateCheck {
    private static final String INLINE_LIFETIME =
            "use the lifetime ALLOCATION: an inline volume ends with its allocation";

    private final CsiLimits limits = new CsiLimits();
    private final VolumeClass volumeClass;
    private final VolumeTemplate template;

    private TemplateCheck(VolumeClass volumeClass, VolumeTemplate template) {
        this.volumeClass = volumeClass;
        this.template = template;
    }

    static List<Problem> problems(VolumeClass volumeClass, VolumeTemplate template) {
        TemplateCheck check = new TemplateCheck(volumeClass, template);
        if (volumeClass.kind() == VolumeKind.INLINE) {
            check.inline();
        } else {
            check.created();
        }
        check.capabilities();
        return check.limits.problems();
    }

    private void created() {
        template.capacityRange()
                .ifPresent(range -> ClassCheck.capacity(
                        limits, "capacityRange", range, volumeClass.leastBytes(), volumeClass.greatestBytes()));
        if (!template.attributes().isEmpty()) {
            limits.add(
                    "attributes",
                    "are given, and class " + volumeClass.name() + " is of kind " + volumeClass.kind(),
                    "leave them out, or use a class of kind INLINE");
        }
    }

    private void inline() {
        refuse(
                template.capacityRange().isPresent(),
                "capacityRange",
                "leave it out: an inline volume has no size; for a volume that takes space, use a class of kind CREATED"
                        + " with the lifetime ALLOCATION");
        refuse(template.contentSource().isPresent(), "contentSource", "leave it out: the plugin makes the content");
        refuse(template.sourceSnapshot().isPresent(), "sourceSnapshot", "leave it out: the plugin makes the content");
        if (template.lifetime() != VolumeLifetime.ALLOCATION) {
            limits.add("lifetime", "is " + template.lifetime() + ofClass(), INLINE_LIFETIME);
        }
        refuse(template.workload().isPresent(), "workload", INLINE_LIFETIME);
        refuse(template.reuseRetained(), "reuseRetained", "unset it: an inline volume is never retained");
        refuse(template.keepUnused(), "keepUnused", "unset it: an inline volume is made when it is used");
        refuse(
                template.nodeTopologyOnly(),
                "nodeTopologyOnly",
                "unset it: an inline volume is made on the node of its allocation");
        attributes();
    }

    private void attributes() {
        limits.map("attributes", volumeClass.spec(template).volumeContext().asMap());
        limits.reserved("attributes", template.attributes());
        TreeSet<String> others = new TreeSet<>(template.attributes().keySet());
        others.removeIf(key -> volumeClass.attributeKeys().contains(key) || key.startsWith(CsiLimits.RESERVED_PREFIX));
        if (!others.isEmpty()) {
            limits.add(
                    "attributes",
                    "have the keys " + others + ", which class " + volumeClass.name() + " does not allow",
                    volumeClass.attributeKeys().isEmpty()
                            ? "leave them out: the class allows none"
                            : "use " + volumeClass.attributeKeys() + ", or another class");
        }
    }

    private void refuse(boolean given, String field, String remedy) {
        if (given) {
            limits.add(field, "is given" + ofClass(), remedy);
        }
    }

    private String ofClass() {
        return ", and class " + volumeClass.name() + " is of kind INLINE";
    }

    private void capabilities() {
        List<RequestedCapability> asked = template.requestedCapabilities();
        for (int i = 0; i < asked.size(); i++) {
            if (!volumeClass.requestedCapabilities().contains(asked.get(i))) {
                limits.add(
                        "requestedCapabilities[" + i + "]",
                        "is " + asked.get(i) + ", which class " + volumeClass.name() + " does not have",
                        "use one of " + volumeClass.requestedCapabilities() + ", or another class");
            }
        }
    }
}
