package io.csi4j.core.volume;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.internal.check.CsiLimits;
import java.util.List;

/**
 * Finds all problems of a specification (R16-R25, R53), in the order of its fields. The problems contain no sensitive
 * value.
 */
final class SpecCheck {
    private final CsiLimits limits = new CsiLimits();

    private SpecCheck() {}

    static List<Problem> problems(VolumeSpec spec) {
        SpecCheck check = new SpecCheck();
        CsiLimits limits = check.limits;
        limits.name("name", spec.name());
        check.capabilities(spec.requestedCapabilities());
        check.mountOptions(spec);
        limits.secrets("secrets", spec.secrets().asMap());
        limits.map("parameters", spec.parameters());
        limits.map("mutableParameters", spec.mutableParameters());
        limits.map("volumeContext", spec.volumeContext().asMap());
        limits.reserved("parameters", spec.parameters());
        limits.reserved("mutableParameters", spec.mutableParameters());
        limits.reserved("volumeContext", spec.volumeContext().asMap());
        spec.accessibilityRequirements()
                .ifPresent(requirement -> limits.topologies("accessibilityRequirements", requirement));
        return limits.problems();
    }

    private void capabilities(List<RequestedCapability> capabilities) {
        if (capabilities.isEmpty()) {
            limits.add(
                    "requestedCapabilities", "is empty", "give at least one access mode with an attachment mode (R22)");
        }
        for (int i = 0; i < capabilities.size(); i++) {
            if (capabilities.get(i).accessMode() == VolumeAccessMode.UNKNOWN) {
                limits.add(
                        "requestedCapabilities[" + i + "].accessMode", "is UNKNOWN", "choose one of the seven (R96)");
            }
        }
    }

    private void mountOptions(VolumeSpec spec) {
        MountOptions options = spec.mountOptions();
        limits.string("mountOptions.fsType", options.fsType());
        limits.string("mountOptions.volumeMountGroup", options.volumeMountGroup());
        limits.mountFlags("mountOptions.mountFlags", options.mountFlags().asList());
        if (options.securityLabel().isPresent()) {
            limits.add(
                    "mountOptions.securityLabel",
                    "is given for a volume, and a label belongs to the workload that uses it",
                    "name it in the mount options of each claim");
        }
        boolean blockOnly = !spec.requestedCapabilities().isEmpty()
                && spec.requestedCapabilities().stream().allMatch(c -> c.attachmentMode() == AttachmentMode.BLOCK);
        if (blockOnly && !options.isEmpty()) {
            limits.add(
                    "mountOptions",
                    "are given although every capability is a block device",
                    "leave them out, or request a capability of attachment mode MOUNT (R96)");
        }
    }
}
