package io.csi4j.core.rpc;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.internal.text.Text;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds all problems of a request (R16-R25). The texts of the problems do not contain values of the request. */
final class RequestCheck {
    private static final int STRING_BYTES = 128;
    private static final int MAP_BYTES = 4096;
    private static final int TOPOLOGY_CHARS = 63;
    /**
     * The characters that a name must not contain (R21): all control characters except tab, line feed and carriage
     * return.
     */
    private static final Pattern FORBIDDEN_IN_NAMES = Pattern.compile("[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F]");

    private static final Pattern UNPRINTABLE = Pattern.compile("[^ -~]");

    private static final Pattern SECRET_KEY = Pattern.compile("[A-Za-z0-9_.-]+");

    private final String subject;
    private final List<Problem> problems = new ArrayList<>();

    RequestCheck(String subject) {
        this.subject = subject;
    }

    /** Checks a name: it must not be empty, not be too long, and have only valid characters (R21). */
    void name(String field, String name) {
        if (name.isEmpty()) {
            add(field, "is empty", "give a name that stays the same when the request is repeated");
        }
        string(field, name);
        if (FORBIDDEN_IN_NAMES.matcher(name).find()) {
            add(field, "holds control characters", "leave them out (R21)");
        }
        if (Text.unpairedAt(name) >= 0) {
            // An unpaired surrogate (half of a UTF-16 character) would be encoded as a question mark. Then the name
            // could equal the name of another object.
            add(field, "holds half a character (a lone surrogate)", "give Unicode text (R21)");
        }
    }

    /** Checks that a text is not too long (R16). */
    private void string(String field, String value) {
        int bytes = utf8Length(value);
        if (bytes > STRING_BYTES) {
            add(field, "is " + bytes + " bytes long", "shorten it to " + STRING_BYTES + " bytes of UTF-8 (R16)");
        }
    }

    /** Checks that a map is not too large (R16). */
    void map(String field, Map<String, String> map) {
        int bytes = 0;
        for (Map.Entry<String, String> entry : map.entrySet()) {
            bytes += utf8Length(entry.getKey()) + utf8Length(entry.getValue());
        }
        if (bytes > MAP_BYTES) {
            add(field, "holds " + bytes + " bytes in total", "keep it within " + MAP_BYTES + " bytes (R16)");
        }
    }

    /** Checks that the secrets are not too large and that their keys have only allowed characters (R16, R25). */
    void secrets(Secrets secrets) {
        map("secrets", secrets.asMap());
        long odd = secrets.asMap().keySet().stream()
                .filter(key -> !SECRET_KEY.matcher(key).matches())
                .count();
        if (odd > 0) {
            add(
                    "secrets",
                    "has " + odd + " keys that are empty or hold other characters than letters, digits, - _ .",
                    "rename them (R25)");
        }
    }

    /** Checks that there is at least one capability and that each one is valid (R22). */
    void capabilities(String field, List<VolumeCapability> capabilities) {
        notEmpty(field, capabilities);
        someCapabilities(field, capabilities);
    }

    void someCapabilities(String field, List<VolumeCapability> capabilities) {
        for (int i = 0; i < capabilities.size(); i++) {
            capability(field + "[" + i + "]", capabilities.get(i));
        }
    }

    void capability(String field, VolumeCapability capability) {
        if (capability.accessMode() == AccessMode.UNKNOWN) {
            add(field + ".accessMode", "is UNKNOWN", "choose one of the seven access modes");
        }
        capability.mountVolume().ifPresent(mount -> mount(field + ".mountVolume", mount));
    }

    void optionalCapability(String field, @Nullable VolumeCapability capability) {
        if (capability != null) {
            capability(field, capability);
        }
    }

    private void mount(String field, MountVolume mount) {
        string(field + ".fsType", mount.fsType());
        string(field + ".volumeMountGroup", mount.volumeMountGroup());
        int bytes = mount.mountFlags().asList().stream()
                .mapToInt(RequestCheck::utf8Length)
                .sum();
        if (bytes > MAP_BYTES) {
            add(
                    field + ".mountFlags",
                    "hold " + bytes + " bytes in total",
                    "keep them within " + MAP_BYTES + " bytes (R18)");
        }
    }

    /**
     * Checks that the keys and values of all topologies are valid, and that the preferred topologies are among the
     * requisite ones (R24, R53).
     */
    void topology(String field, @Nullable TopologyRequirement requirement) {
        if (requirement == null) {
            return;
        }
        if (requirement.requisite().isEmpty() && requirement.preferred().isEmpty()) {
            add(field, "names no topology", "give requisite or preferred ones, or leave it out (R53)");
        }
        if (!requirement.requisite().isEmpty() && !requirement.requisite().containsAll(requirement.preferred())) {
            add(
                    field + ".preferred",
                    "names topologies that are not requisite",
                    "add them to requisite, or take them out of preferred (R53)");
        }
        segments(field + ".requisite", requirement.requisite());
        segments(field + ".preferred", requirement.preferred());
    }

    /** Checks that keys and values of a topology are valid (R24). */
    void topology(String field, @Nullable Topology topology) {
        if (topology != null) {
            segments(field, topology.segments());
        }
    }

    private void segments(String field, List<Topology> topologies) {
        for (int i = 0; i < topologies.size(); i++) {
            segments(field + "[" + i + "]", topologies.get(i).segments());
        }
    }

    /**
     * Checks the segments of a topology (R24). It does not check that all keys have the same prefix: that is a rule for
     * plugins, and not all plugins follow it.
     */
    private void segments(String at, Map<String, String> segments) {
        if (segments.isEmpty()) {
            add(at, "has no segments", "give at least one key with its value, or leave the topology out (R24)");
        }
        Set<String> keys = new HashSet<>();
        segments.forEach((key, value) -> {
            if (!Topology.isKey(key)) {
                add(
                        at,
                        "has the key '" + printable(key) + "'",
                        "a key is a name, or prefix/name with a lower-case domain as prefix, of 1 to " + TOPOLOGY_CHARS
                                + " characters each (R24)");
            }
            if (!keys.add(key.toLowerCase(Locale.ROOT))) {
                add(at, "has the key '" + printable(key) + "' twice but for its case", "keep one (R24)");
            }
            if (!Topology.isValue(value)) {
                add(
                        at,
                        "has a value under '" + printable(key) + "' that is none",
                        "a value has 1 to " + TOPOLOGY_CHARS + " letters, digits, - _ . and begins and ends with a"
                                + " letter or digit (R24)");
            }
        });
    }

    /**
     * Returns a key as text for messages. A key may come from a plugin, so it is shown only if all its characters are
     * printable.
     */
    private static String printable(String key) {
        String start = key.length() > 2 * TOPOLOGY_CHARS ? key.substring(0, 2 * TOPOLOGY_CHARS) + "..." : key;
        return UNPRINTABLE.matcher(start).replaceAll("?");
    }

    /** Checks that a collection is not empty (R22). */
    void notEmpty(String field, Collection<?> elements) {
        if (elements.isEmpty()) {
            add(field, "is empty", "give at least one (R22)");
        }
    }

    /** Checks that a size, a count or an offset is not negative (R23). */
    void notNegative(String field, long number) {
        if (number < 0) {
            add(field, "is " + number, "use 0 or more (R23)");
        }
    }

    /** Checks that a path is absolute (R85, R88). */
    void path(String field, String path) {
        if (!path.startsWith("/")) {
            add(field, path.isEmpty() ? "is empty" : "is not absolute", "give the absolute path on the plugin's node");
        } else if (path.indexOf('\0') >= 0) {
            add(field, "holds a NUL character", "give a path that the operating system accepts");
        }
    }

    void optionalPath(String field, @Nullable String path) {
        if (path != null) {
            path(field, path);
        }
    }

    /** Ends the check: throws an exception if a problem was found. */
    void done() {
        if (!problems.isEmpty()) {
            throw new CsiRequestException(subject, problems);
        }
    }

    private void add(String field, String problem, String remedy) {
        problems.add(new Problem(field, problem, remedy));
    }

    private static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
