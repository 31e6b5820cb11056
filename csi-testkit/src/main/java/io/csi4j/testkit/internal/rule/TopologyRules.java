package io.csi4j.testkit.internal.rule;

import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.proto.csi.v1.TopologyRequirement;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The rules for well-formed topologies (R24, R53). */
public final class TopologyRules {
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");
    private static final Pattern PREFIX = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?");

    private TopologyRules() {}

    /**
     * Checks each topology of a requirement, and that the preferred topologies are among the requisite ones.
     *
     * @param requirement the requirement in the request
     * @param field the name of its field
     * @param problems receives the problems
     */
    public static void check(TopologyRequirement requirement, String field, Problems problems) {
        for (int i = 0; i < requirement.getRequisiteCount(); i++) {
            check(requirement.getRequisite(i).getSegmentsMap(), field + ".requisite[" + i + "]", problems);
        }
        for (int i = 0; i < requirement.getPreferredCount(); i++) {
            Topology preferred = requirement.getPreferred(i);
            check(preferred.getSegmentsMap(), field + ".preferred[" + i + "]", problems);
            problems.require(
                    requirement.getRequisiteCount() == 0
                            || requirement.getRequisiteList().contains(preferred),
                    field + ".preferred[" + i + "]",
                    "is not among requisite; it must be when both are given (R53)");
        }
    }

    /**
     * Checks the segments of one topology.
     *
     * @param segments the segments by key
     * @param field the name of the enclosing field
     * @param problems receives the problems
     */
    public static void check(Map<String, String> segments, String field, Problems problems) {
        problems.require(!segments.isEmpty(), field, "has no segments; name at least one (R22)");
        Set<String> keys = new HashSet<>();
        Set<String> prefixes = new HashSet<>();
        segments.forEach((key, value) -> {
            int slash = key.indexOf('/');
            String prefix = slash < 0 ? "" : key.substring(0, slash);
            prefixes.add(prefix);
            problems.require(
                    (slash < 0 || PREFIX.matcher(prefix).matches())
                            && WORD.matcher(key.substring(slash + 1)).matches(),
                    field,
                    "key '" + key + "' must be an optional lower-case domain, a slash and a name, each of at most 63"
                            + " characters (R24)");
            problems.require(
                    WORD.matcher(value).matches(),
                    field,
                    "value of '" + key + "' must be at most 63 characters and begin and end alphanumeric (R24)");
            problems.require(
                    keys.add(key.toLowerCase(Locale.ROOT)),
                    field,
                    "key '" + key + "' is there twice but for case (R24)");
        });
        problems.require(prefixes.size() <= 1, field, "keys have different prefixes; one plugin has one (R24)");
    }
}
