package io.csi4j.testkit.conformance;

import java.util.List;

/**
 * Describes a check.
 *
 * @param id the stable id, like {@code create.same-name}
 * @param title the expected behaviour, as a sentence
 * @param rules the numbers of the rules that the check verifies, like {@code R51}
 * @param sections the sections of the CSI specification that have these rules, in the order of the rules
 * @param demands the rules in words, in the order of the rules
 * @param needs the capabilities and settings without which the check is skipped
 */
public record CheckInfo(
        String id, String title, List<String> rules, List<String> sections, List<String> demands, List<String> needs) {
    /** Creates a description; the lists are copied. */
    public CheckInfo {
        rules = List.copyOf(rules);
        sections = List.copyOf(sections);
        demands = List.copyOf(demands);
        needs = List.copyOf(needs);
    }

    /**
     * Returns the part of the id before the dot: the topic of the check, like {@code create}. All checks of one topic
     * have the same group.
     */
    public String group() {
        return id.substring(0, id.indexOf('.'));
    }
}
