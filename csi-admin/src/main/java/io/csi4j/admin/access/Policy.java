package io.csi4j.admin.access;

import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The rules of one policy file. */
record Policy(List<Rule> rules) {
    Policy {
        rules = List.copyOf(rules);
    }

    /**
     * A line of a policy.
     *
     * @param namespaces the namespaces of the rule; empty for a rule of the cluster
     * @param allow true to allow the permissions, false to deny them
     */
    record Rule(Optional<NamespacePattern> namespaces, boolean allow, Set<Permission> permissions) {
        Rule {
            permissions = Set.copyOf(permissions);
        }

        boolean applies(Access access) {
            return permissions.contains(access.permission())
                    && namespaces.isPresent() == access.namespace().isPresent()
                    && (namespaces.isEmpty()
                            || namespaces.get().matches(access.namespace().orElseThrow()));
        }
    }

    /** The decision of one policy, which others can overrule. */
    enum Decision {
        /** No rule applies. */
        NONE,
        ALLOW,
        /** Overrules each allowing rule, of this policy and of others. */
        DENY
    }

    Decision decide(Access access) {
        Decision decision = Decision.NONE;
        for (Rule rule : rules) {
            if (rule.applies(access)) {
                if (!rule.allow()) {
                    return Decision.DENY;
                }
                decision = Decision.ALLOW;
            }
        }
        return decision;
    }
}
