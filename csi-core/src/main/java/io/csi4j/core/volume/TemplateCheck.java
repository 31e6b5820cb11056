package io.csi4j.core.volume;

import io.csi4j.core.call.Problem;
import io.csi4j.core.internal.check.CsiLimits;
import java.util.List;

/** Finds all problems of a template with the limits of its class. */
final class TemplateCheck {
    private TemplateCheck() {}

    static List<Problem> problems(VolumeClass volumeClass, VolumeTemplate template) {
        CsiLimits limits = new CsiLimits();
        template.capacityRange()
                .ifPresent(range -> ClassCheck.capacity(
                        limits, "capacityRange", range, volumeClass.leastBytes(), volumeClass.greatestBytes()));
        List<RequestedCapability> asked = template.requestedCapabilities();
        for (int i = 0; i < asked.size(); i++) {
            if (!volumeClass.requestedCapabilities().contains(asked.get(i))) {
                limits.add(
                        "requestedCapabilities[" + i + "]",
                        "is " + asked.get(i) + ", which class " + volumeClass.name() + " does not have",
                        "use one of " + volumeClass.requestedCapabilities() + ", or another class");
            }
        }
        return limits.problems();
    }
}
