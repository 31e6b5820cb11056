package io.csi4j.testkit.conformance.internal;

import java.util.List;

/** Chooses the rule that a finding quotes. */
final class RuleChoice {
    private static final List<String> LIFE = List.of(
            "CreateVolume",
            "DeleteVolume",
            "ControllerPublishVolume",
            "ControllerUnpublishVolume",
            "NodeStageVolume",
            "NodeUnstageVolume",
            "NodePublishVolume",
            "NodeUnpublishVolume");

    private final List<Rule> rules;

    /**
     * Creates a choice among the rules of a check.
     *
     * @param rules the rules, the most important one first
     */
    RuleChoice(List<Rule> rules) {
        this.rules = rules;
    }

    Rule first() {
        return rules.get(0);
    }

    /**
     * Returns the rule by which a call has to succeed: that of the check about this RPC. A check without such a rule makes the call to prepare
     * something, so the rule is the one about the life of volumes, or about the RPCs of a capability.
     */
    Rule of(String rpc) {
        return rules.stream()
                .filter(rule -> rule.section().equals(rpc) || rule.section().startsWith(rpc + " "))
                .findFirst()
                .orElse(LIFE.contains(rpc) ? Rule.R43 : Rule.R42);
    }
}
