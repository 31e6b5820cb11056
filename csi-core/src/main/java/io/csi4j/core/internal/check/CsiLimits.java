package io.csi4j.core.internal.check;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Collects the problems of the fields of a request, before it is sent, that break a limit or a form of CSI. What arrives
 * is checked against {@link InputLimit}. The texts of the problems contain no value of a field
 * except keys of topologies.
 */
public final class CsiLimits {
    /** The prefix of keys that the orchestrator itself fills in requests to plugins. */
    public static final String RESERVED_PREFIX = "csi.storage.k8s.io/";

    /** The key under which NodePublishVolume contains the tokens of a workload. */
    public static final String TOKENS_KEY = RESERVED_PREFIX + "serviceAccount.tokens";

    private static final int STRING_BYTES = InputLimit.STRING.max();
    private static final int MAP_BYTES = InputLimit.MAP.max();
    private static final int TOPOLOGY_CHARS = InputLimit.TOPOLOGY_PART.max();
    private static final Pattern UNPRINTABLE = Pattern.compile("[^ -~]");

    private final List<Problem> problems = new ArrayList<>();

    /** Returns the problems so far, in the order in which they were found. */
    public List<Problem> problems() {
        return List.copyOf(problems);
    }

    /**
     * Checks a map that a user gives to a plugin.
     *
     * @throws CsiRequestException if a key is one that the orchestrator fills itself
     */
    public static void requireUnreserved(String subject, String field, Map<String, String> map) {
        CsiLimits limits = new CsiLimits();
        limits.reserved(field, map);
        if (!limits.problems.isEmpty()) {
            throw new CsiRequestException(subject, limits.problems);
        }
    }

    /** Returns the entries of a map that a user gave, without those that the orchestrator has filled itself. */
    public static Map<String, String> unreserved(Map<String, String> map) {
        return map.entrySet().stream()
                .filter(entry -> !entry.getKey().startsWith(RESERVED_PREFIX))
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    public void add(String field, String problem, String remedy) {
        problems.add(new Problem(field, problem, remedy));
    }

    /** Checks that a name is not too long and has only valid characters (R16, R21). */
    public void name(String field, String name) {
        string(field, name);
        if (CsiText.hasControlCharacters(name)) {
            add(field, "holds control characters", "leave them out (R21)");
        }
    }

    /** Checks that a text is not too long (R16). */
    public void string(String field, String value) {
        int bytes = CsiText.utf8Length(value);
        if (bytes > STRING_BYTES) {
            add(field, "is " + bytes + " bytes long", "shorten it to " + STRING_BYTES + " bytes of UTF-8 (R16)");
        }
    }

    /** Checks that a map is not too large (R16). */
    public void map(String field, Map<String, String> map) {
        long bytes = InputLimit.bytes(map);
        if (bytes > MAP_BYTES) {
            add(field, "holds " + bytes + " bytes in total", "keep it within " + MAP_BYTES + " bytes (R16)");
        }
    }

    /** Checks that a map that a user gives has no key that the orchestrator fills itself. */
    public void reserved(String field, Map<String, String> map) {
        long reserved = map.keySet().stream()
                .filter(key -> key.startsWith(RESERVED_PREFIX))
                .count();
        if (reserved > 0) {
            add(
                    field,
                    "has keys that begin with " + RESERVED_PREFIX + ": " + reserved,
                    "leave them out: these keys are reserved for the orchestrator");
        }
    }

    /** Checks that mount flags are not too large in total (R18). */
    public void mountFlags(String field, List<String> flags) {
        int bytes = flags.stream().mapToInt(CsiText::utf8Length).sum();
        if (bytes > MAP_BYTES) {
            add(field, "hold " + bytes + " bytes in total", "keep them within " + MAP_BYTES + " bytes (R18)");
        }
    }

    /**
     * Checks that secrets are not too large and that their keys have only allowed characters (R16, R25). Plugins that ask
     * for tokens in the secrets expect them under a key with a slash.
     */
    public void secrets(String field, Map<String, String> secrets) {
        map(field, secrets);
        long odd = secrets.keySet().stream()
                .filter(key -> !CsiText.isSecretKey(key) && !key.equals(TOKENS_KEY))
                .count();
        if (odd > 0) {
            add(
                    field,
                    "has " + odd + " keys that are empty or hold other characters than letters, digits, - _ .",
                    "rename them (R25)");
        }
    }

    /**
     * Checks that the keys and values of all topologies are valid, and that the preferred topologies are among the
     * requisite ones (R24, R53).
     */
    public void topologies(String field, TopologyRequirement requirement) {
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
            // Makes no text for the field of a valid topology, because most are valid.
            if (!wellFormed(topologies.get(i).segments())) {
                topology(field + "[" + i + "]", topologies.get(i));
            }
        }
    }

    private static boolean wellFormed(Map<String, String> segments) {
        for (Map.Entry<String, String> segment : segments.entrySet()) {
            if (!Topology.isKey(segment.getKey()) || !Topology.isValue(segment.getValue())) {
                return false;
            }
        }
        return segments.size() == 1;
    }

    /**
     * Checks the segments of a topology (R24). It does not check that all keys have the same prefix: that is a rule for
     * plugins, and not all plugins follow it.
     */
    public void topology(String field, Topology topology) {
        if (topology.segments().isEmpty()) {
            add(field, "has no segments", "give at least one key with its value, or leave the topology out (R24)");
        }
        Set<String> keys = new HashSet<>();
        topology.segments().forEach((key, value) -> {
            if (!Topology.isKey(key)) {
                add(
                        field,
                        "has the key '" + printable(key) + "'",
                        "a key is a name, or prefix/name with a lower-case domain as prefix, of 1 to " + TOPOLOGY_CHARS
                                + " characters each (R24)");
            }
            if (!keys.add(key.toLowerCase(Locale.ROOT))) {
                add(field, "has the key '" + printable(key) + "' twice but for its case", "keep one (R24)");
            }
            if (!Topology.isValue(value)) {
                add(
                        field,
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
}
