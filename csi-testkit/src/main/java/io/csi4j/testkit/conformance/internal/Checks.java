package io.csi4j.testkit.conformance.internal;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Collects checks. Not thread-safe. */
public final class Checks {
    private final List<Check> all = new ArrayList<>();
    private final Set<String> ids = new HashSet<>();

    public Checks() {}

    /** A check that has no steps yet. */
    public final class Begun {
        private final String id;
        private final String title;
        private final List<Rule> rules;
        private final Set<Need> needs = EnumSet.noneOf(Need.class);

        private Begun(String id, String title, List<Rule> rules) {
            this.id = id;
            this.title = title;
            this.rules = rules;
        }

        /**
         * Adds needs of the check. A run skips the check if one of them is not met.
         *
         * @param more capabilities of the plugin and settings of the run
         */
        public Begun needs(Need... more) {
            needs.addAll(List.of(more));
            return this;
        }

        /**
         * Completes the check.
         *
         * @param steps its calls
         */
        public void run(Check.Steps steps) {
            if (!ids.add(id)) {
                throw new IllegalStateException("two checks have the id " + id);
            }
            all.add(new Check(id, title, rules, needs, steps));
        }
    }

    /**
     * Begins a check.
     *
     * @param id the stable id: topic, dot, name
     * @param title the expected behaviour
     * @param rules the rules of CSI that the check tests
     */
    public Begun check(String id, String title, Rule... rules) {
        return new Begun(id, title, List.of(rules));
    }

    /** Returns all checks in the order of their definition. */
    public List<Check> all() {
        return List.copyOf(all);
    }
}
