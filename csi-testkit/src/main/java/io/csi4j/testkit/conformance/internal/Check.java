package io.csi4j.testkit.conformance.internal;

import io.csi4j.testkit.conformance.CheckInfo;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One check.
 *
 * @param id the stable id
 * @param title the expected behaviour
 * @param rules the rules of CSI that the check tests
 * @param needs the capabilities and settings that it cannot do without
 * @param steps its calls
 */
public record Check(String id, String title, List<Rule> rules, Set<Need> needs, Steps steps) {
    /** The calls of a check. */
    public interface Steps {
        /**
         * Runs the check.
         *
         * @param run makes the calls and cleans up
         * @throws Violation if the plugin breaks a rule
         * @throws NotApplicable if the check does not apply
         * @throws Exception if the check itself cannot run, for example because of a full disk
         */
        void run(Run run) throws Exception;
    }

    public Check {
        rules = List.copyOf(rules);
        needs = Set.copyOf(needs);
    }

    public CheckInfo info() {
        return new CheckInfo(
                id,
                title,
                rules.stream().map(Rule::name).toList(),
                rules.stream().map(Rule::section).toList(),
                rules.stream().map(Rule::demand).toList(),
                needs.stream().sorted().map(Need::text).toList());
    }

    /**
     * Returns whether a selection names this check.
     *
     * @param selection an id, the beginning of an id, or a rule like {@code R89}
     */
    public boolean matches(String selection) {
        String wanted = selection.strip();
        return id.startsWith(wanted)
                || rules.stream().anyMatch(rule -> rule.name().equals(wanted.toUpperCase(Locale.ROOT)));
    }
}
