package io.csi4j.core.call;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Keeps docs/call-discipline.md equal to the rules. {@code -Dcsi4j.docs.write=true} writes the page. */
class RetryPolicyTableTest {
    private static final Path PAGE = Path.of("..", "docs", "call-discipline.md");
    private static final int MAX_WORDS = 1_300;
    private static final String NAMED_RULE = ": ";

    private final StringBuilder page = new StringBuilder();

    /** A status code, or ABORTED as the answer to a page token. */
    private record Code(StatusCode status, boolean token) {
        static List<Code> all() {
            List<Code> codes = new ArrayList<>();
            for (StatusCode status : StatusCode.values()) {
                codes.add(new Code(status, false));
                if (status == StatusCode.ABORTED) {
                    codes.add(new Code(status, true));
                }
            }
            return codes;
        }

        Stream<Rpc> rpcs() {
            return Stream.of(Rpc.values()).filter(rpc -> !token || rpc.paged());
        }

        CallRule rule(Rpc rpc) {
            return CallRules.defaults().of(rpc, status, token);
        }

        CallRule usual() {
            Map<CallRule, Long> counts = rpcs().collect(groupingBy(this::rule, LinkedHashMap::new, counting()));
            return Collections.max(counts.entrySet(), Map.Entry.comparingByValue())
                    .getKey();
        }

        @Override
        public String toString() {
            return status + (token ? " to a token" : "");
        }
    }

    /** Everything of a rule but the numbers of the rules of CSI, with which its reason begins. */
    private static String withoutNumbers(CallRule rule) {
        String reason = rule.reason();
        return rule.outcome() + " " + rule.repeat() + " " + reason.substring(reason.indexOf(NAMED_RULE) + 1);
    }

    private static String numbers(CallRule rule) {
        return rule.reason().substring(0, Math.max(0, rule.reason().indexOf(NAMED_RULE)));
    }

    @Test
    void retryRulesDocumentEqualsTextGeneratedFromRules() throws IOException {
        page.append("""
                # Retry rules

                `RetryPolicyTableTest` writes this page from `CallRules.defaults()`; do not edit it. To write it again:
                `mvn -pl csi-core -am -Dtest=RetryPolicyTableTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.docs.write=true verify`.

                [The guide to the client](guide/client.md#failures) explains the outcomes, [rules.md](rules.md) the R numbers.

                - **HERE**: the client repeats the call with the same fields, after a backoff, within the call's deadline.
                - **ELSEWHERE**: this instance has a fault; a caller that knows another instance of the plugin calls that one.
                - **NEVER**: the caller gets the failure at once.

                ## The policy of each RPC

                | policy | RPCs | meaning |
                |---|---|---|
                """);
        for (RetryPolicy policy : RetryPolicy.values()) {
            page.append("| %s | %s | %s |\n".formatted(policy, names(members(policy)), policy.summary()));
        }
        page.append("\nOpposites: ")
                .append(Stream.of(Rpc.values())
                        .filter(rpc -> rpc.opposite()
                                .filter(opposite -> rpc.compareTo(opposite) < 0)
                                .isPresent())
                        .map(rpc -> rpc.csiName() + " and "
                                + rpc.opposite().orElseThrow().csiName())
                        .collect(joining(", ")))
                .append(".\n\n## The default\n\n| code | outcome | repeated | because |\n|---|---|---|---|\n");
        for (Code code : Code.all()) {
            CallRule rule = code.usual();
            page.append("| %s | %s | %s | %s |\n".formatted(code, rule.outcome(), rule.repeat(), rule.reason()));
        }
        exceptions();
        numbersOfSingleRpcs();
        if (Boolean.getBoolean("csi4j.docs.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE))
                .as(
                        "docs/call-discipline.md is out of date; write it with -Dcsi4j.docs.write=true and check the change")
                .isEqualTo(page.toString());
        assertThat(page.toString().split("\\s+", -1).length).isLessThanOrEqualTo(MAX_WORDS);
    }

    private void exceptions() {
        page.append("""

                ## Exceptions

                | RPCs | codes | outcome | repeated | because |
                |---|---|---|---|---|
                """);
        Map<Set<Rpc>, Map<CallRule, List<Code>>> exceptions = new LinkedHashMap<>();
        for (Code code : Code.all()) {
            Map<CallRule, Set<Rpc>> rpcs = new LinkedHashMap<>();
            code.rpcs()
                    .filter(rpc -> !withoutNumbers(code.rule(rpc)).equals(withoutNumbers(code.usual())))
                    .forEach(rpc -> rpcs.computeIfAbsent(sharedRule(code, rpc), rule -> EnumSet.noneOf(Rpc.class))
                            .add(rpc));
            rpcs.forEach((rule, group) -> exceptions
                    .computeIfAbsent(group, key -> new LinkedHashMap<>())
                    .computeIfAbsent(rule, key -> new ArrayList<>())
                    .add(code));
        }
        exceptions.forEach((group, rules) -> rules.forEach((rule, codes) -> page.append("| %s | %s | %s | %s | %s |\n"
                .formatted(
                        named(group),
                        codes.stream().map(Code::toString).collect(joining(", ")),
                        rule.outcome(),
                        rule.repeat(),
                        rule.reason()))));
    }

    /** The most frequent rule that differs from this RPC's by numbers only. */
    private static CallRule sharedRule(Code code, Rpc rpc) {
        String own = withoutNumbers(code.rule(rpc));
        Map<CallRule, Long> alike = code.rpcs()
                .map(code::rule)
                .filter(rule -> withoutNumbers(rule).equals(own))
                .collect(groupingBy(rule -> rule, LinkedHashMap::new, counting()));
        return Collections.max(alike.entrySet(), Map.Entry.comparingByValue()).getKey();
    }

    private void numbersOfSingleRpcs() {
        page.append("""

                ## Rules of single RPCs

                The rows above hold for these RPCs, with the rules that CSI has for them.

                | code | rules |
                |---|---|
                """);
        for (Code code : Code.all()) {
            String own = code.rpcs()
                    .filter(rpc -> !numbers(code.rule(rpc)).equals(numbers(sharedRule(code, rpc))))
                    .map(rpc -> rpc.csiName() + " " + numbers(code.rule(rpc)))
                    .collect(joining(", "));
            if (!own.isEmpty()) {
                page.append("| %s | %s |\n".formatted(code, own));
            }
        }
    }

    private static List<Rpc> members(RetryPolicy policy) {
        return Stream.of(Rpc.values())
                .filter(rpc -> rpc.retryPolicy() == policy)
                .toList();
    }

    private static String names(List<Rpc> rpcs) {
        return rpcs.stream().map(Rpc::csiName).collect(joining(", "));
    }

    /** Whole policies by their names. */
    private static String named(Set<Rpc> group) {
        Set<Rpc> rest = EnumSet.copyOf(group);
        List<String> names = new ArrayList<>();
        for (RetryPolicy policy : RetryPolicy.values()) {
            if (group.containsAll(members(policy))) {
                names.add(policy.name());
                rest.removeAll(members(policy));
            }
        }
        rest.forEach(rpc -> names.add(rpc.csiName()));
        return String.join(", ", names);
    }

    /** Read back from the page alone. */
    @Test
    void tablesInRetryRulesDocumentDetermineRuleForEveryRpcAndStatusCode() throws IOException {
        Map<String, String> rules = new TreeMap<>();
        Map<String, List<String>> groups = new TreeMap<>();
        String section = "";
        for (String line : Files.readAllLines(PAGE)) {
            if (line.startsWith("## ")) {
                section = line.substring(3);
            }
            if (!line.startsWith("| ")) {
                continue;
            }
            List<String> cells = List.of(line.substring(2, line.length() - 2).split(" \\| ?", -1));
            switch (section) {
                case "The policy of each RPC" ->
                    groups.put(cells.get(0), List.of(cells.get(1).split(", ", -1)));
                case "The default" -> {
                    for (Rpc rpc : Rpc.values()) {
                        rules.put(rpc.csiName() + " " + cells.get(0), String.join("|", cells.subList(1, 4)));
                    }
                }
                case "Exceptions" -> {
                    for (String name : cells.get(0).split(", ", -1)) {
                        for (String rpc : groups.getOrDefault(name, List.of(name))) {
                            for (String code : cells.get(1).split(", ", -1)) {
                                rules.put(rpc + " " + code, String.join("|", cells.subList(2, 5)));
                            }
                        }
                    }
                }
                case "Rules of single RPCs" -> {
                    if (cells.get(0).equals("code")) {
                        continue;
                    }
                    for (String own : cells.get(1).split(", (?!R)", -1)) {
                        String[] rpcAndNumbers = own.split(" ", 2);
                        rules.computeIfPresent(
                                rpcAndNumbers[0] + " " + cells.get(0),
                                (key, rule) -> rule.replaceFirst("\\|R[^|:]*: ", "|" + rpcAndNumbers[1] + ": "));
                    }
                }
                default -> throw new AssertionError("unexpected table in section " + section);
            }
        }
        for (Code code : Code.all()) {
            code.rpcs()
                    .forEach(rpc -> assertThat(rules.get(rpc.csiName() + " " + code))
                            .as("%s to %s", code, rpc)
                            .isEqualTo(code.rule(rpc).outcome() + "|"
                                    + code.rule(rpc).repeat() + "|"
                                    + code.rule(rpc).reason()));
        }
    }
}
