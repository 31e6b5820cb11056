package io.csi4j.core.volume;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.internal.text.Text;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Finds all problems of a specification (R16-R25, R53), in the order of its fields. The problems contain no sensitive
 * value.
 */
final class SpecCheck {
    private static final int STRING_BYTES = 128;
    private static final int MAP_BYTES = 4096;
    private static final int PART_CHARS = 63;

    private final List<Problem> problems = new ArrayList<>();

    private SpecCheck() {}

    static List<Problem> problems(VolumeSpec spec) {
        SpecCheck check = new SpecCheck();
        check.name(spec.name());
        check.capabilities(spec.requestedCapabilities());
        check.mountOptions(spec);
        check.map("secrets", spec.secrets().asMap());
        check.secretKeys(spec.secrets().asMap());
        check.map("parameters", spec.parameters());
        check.map("mutableParameters", spec.mutableParameters());
        check.map("volumeContext", spec.volumeContext().asMap());
        spec.accessibilityRequirements().ifPresent(check::topology);
        return List.copyOf(check.problems);
    }

    private void name(String name) {
        string("name", name);
        if (SpecText.hasControlCharacters(name)) {
            add("name", "holds control characters", "leave them out (R21)");
        }
    }

    private void capabilities(List<RequestedCapability> capabilities) {
        if (capabilities.isEmpty()) {
            add("requestedCapabilities", "is empty", "give at least one access mode with an attachment mode (R22)");
        }
        for (int i = 0; i < capabilities.size(); i++) {
            if (capabilities.get(i).accessMode() == AccessMode.UNKNOWN) {
                add("requestedCapabilities[" + i + "].accessMode", "is UNKNOWN", "choose one of the seven (R96)");
            }
        }
    }

    private void mountOptions(VolumeSpec spec) {
        mountOptions("mountOptions", spec.mountOptions());
        if (spec.mountOptions().isEmpty()) {
            return;
        }
        boolean blockOnly = !spec.requestedCapabilities().isEmpty()
                && spec.requestedCapabilities().stream().allMatch(c -> c.attachmentMode() == AttachmentMode.BLOCK);
        if (blockOnly) {
            add(
                    "mountOptions",
                    "are given although every capability is a block device",
                    "leave them out, or request a capability of attachment mode MOUNT (R96)");
        }
    }

    private void mountOptions(String field, MountOptions options) {
        string(field + ".fsType", options.fsType());
        string(field + ".volumeMountGroup", options.volumeMountGroup());
        int bytes = options.mountFlags().asList().stream()
                .mapToInt(SpecText::utf8Length)
                .sum();
        if (bytes > MAP_BYTES) {
            add(field + ".mountFlags", "hold " + bytes + " bytes in total", "keep them within " + MAP_BYTES + " (R18)");
        }
    }

    private void secretKeys(Map<String, String> secrets) {
        if (secrets.isEmpty()) {
            return;
        }
        long odd = secrets.keySet().stream()
                .filter(key -> !SpecText.isSecretKey(key))
                .count();
        if (odd > 0) {
            add(
                    "secrets",
                    "has " + odd + " keys that are empty or hold other characters than letters, digits, - _ .",
                    "rename them (R25)");
        }
    }

    private void topology(TopologyRequirement requirement) {
        String field = "accessibilityRequirements";
        if (requirement.requisite().isEmpty() && requirement.preferred().isEmpty()) {
            add(field, "names no topology", "give requisite or preferred ones, or leave it out (R53)");
        }
        if (!requirement.requisite().isEmpty() && !requirement.requisite().containsAll(requirement.preferred())) {
            add(
                    field + ".preferred",
                    "names topologies that are not requisite",
                    "add them to requisite, or take them out of preferred (R53)");
        }
        topologies(field + ".requisite", requirement.requisite());
        topologies(field + ".preferred", requirement.preferred());
    }

    private void topologies(String field, List<Topology> topologies) {
        for (int i = 0; i < topologies.size(); i++) {
            if (!wellFormed(topologies.get(i).segments())) {
                segments(field + "[" + i + "]", topologies.get(i).segments());
            }
        }
    }

    /**
     * Returns whether all segments of a topology are valid. Creates no error messages, because most segments are valid.
     */
    private static boolean wellFormed(Map<String, String> segments) {
        for (Map.Entry<String, String> segment : segments.entrySet()) {
            if (!Topology.isKey(segment.getKey()) || !Topology.isValue(segment.getValue())) {
                return false;
            }
        }
        return segments.size() == 1;
    }

    /** Adds the problems of a topology's segments, including keys that differ in case only. */
    private void segments(String field, Map<String, String> segments) {
        if (segments.isEmpty()) {
            add(field, "has no segments", "give at least one key with its value, or leave the topology out (R24)");
        }
        Set<String> keys = new HashSet<>();
        segments.forEach((key, value) -> {
            if (!Topology.isKey(key)) {
                add(
                        field,
                        "has a key that is none: '" + Text.printable(key) + "'",
                        "a key is a name, or prefix/name with a lower-case domain as prefix, of 1 to " + PART_CHARS
                                + " characters each (R24)");
            }
            if (!keys.add(key.toLowerCase(Locale.ROOT))) {
                add(field, "has the key '" + Text.printable(key) + "' twice but for its case", "keep one (R24)");
            }
            if (!Topology.isValue(value)) {
                add(
                        field,
                        "has a value under '" + Text.printable(key) + "' that is none",
                        "a value has 1 to " + PART_CHARS + " letters, digits, - _ . and begins and ends with a"
                                + " letter or digit (R24)");
            }
        });
    }

    private void map(String field, Map<String, String> map) {
        int bytes = 0;
        for (Map.Entry<String, String> entry : map.entrySet()) {
            bytes += SpecText.utf8Length(entry.getKey()) + SpecText.utf8Length(entry.getValue());
        }
        if (bytes > MAP_BYTES) {
            add(field, "holds " + bytes + " bytes in total", "keep it within " + MAP_BYTES + " bytes (R16)");
        }
    }

    private void string(String field, String value) {
        int bytes = SpecText.utf8Length(value);
        if (bytes > STRING_BYTES) {
            add(field, "is " + bytes + " bytes long", "shorten it to " + STRING_BYTES + " bytes of UTF-8 (R16)");
        }
    }

    private void add(String field, String problem, String remedy) {
        problems.add(new Problem(field, problem, remedy));
    }
}
