package io.csi4j.admin.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyParserTest {
    private static PolicyParser.Result parse(String text) {
        return PolicyParser.parse("x.policy", text.getBytes(StandardCharsets.UTF_8));
    }

    private static Policy policy(String text) {
        PolicyParser.Result result = parse(text);
        assertThat(result.problems()).as(text).isEmpty();
        return result.policy();
    }

    private static boolean matches(String pattern, String namespace) {
        return policy("namespace " + pattern + " allow VOLUME_LIST")
                        .decide(Access.in(Namespace.of(namespace), Permission.VOLUME_LIST))
                == Policy.Decision.ALLOW;
    }

    @Test
    void commentsSpacesAndLineEndsAreIgnored() {
        Policy policy = policy("""
                # operators of team A
                \t namespace  "team-a"\tallow read   # and no more
                \r
                cluster allow PLUGIN_LIST""" + "\r\n" + "cluster deny PLUGIN_DEPLOY\r\n\n");
        assertThat(policy.rules()).hasSize(3);
        assertThat(policy("").rules()).isEmpty();
        assertThat(policy("\n#\n").rules()).isEmpty();
    }

    @Test
    void shorthandsStandForTheirPermissions() {
        assertThat(policy("namespace a allow read").rules().get(0).permissions())
                .containsExactlyInAnyOrder(Permission.VOLUME_LIST, Permission.VOLUME_READ);
        assertThat(policy("cluster deny read").rules().get(0).permissions())
                .containsExactlyInAnyOrder(Permission.PLUGIN_LIST, Permission.PLUGIN_READ);
        Set<Permission> all =
                new TreeSet<>(policy("namespace a allow all").rules().get(0).permissions());
        assertThat(all).allMatch(Permission::namespaced).hasSize(4);
        all.addAll(policy("cluster allow all").rules().get(0).permissions());
        assertThat(all).containsExactlyInAnyOrder(Permission.values());
    }

    @Test
    void eachPermissionHasItsOwnLine() {
        for (Permission permission : Permission.values()) {
            String scope = permission.namespaced() ? "namespace * " : "cluster ";
            assertThat(policy(scope + "deny " + permission).rules().get(0).permissions())
                    .containsExactly(permission);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "team-a     | team-a   | team-ab, Team-a, team, xteam-a",
                "*          | a, *, x.y | ",
                "**         | a        | ",
                "team-*     | team-, team-a, team-a-b | team, xteam-a",
                "*-a        | -a, team-a | team-ab, a",
                "a*a        | aa, aba, aaa | a, ab",
                "a*b*c      | abc, axbxc, abbcc | acb, ab, bc",
                "a*b*b      | abb, abxb, abbb | ab, axb",
                "\"a.c\"    | a.c      | abc",
                "a.c        | a.c      | abc",
                "a+         | a+       | a, aa",
                "[ab]       | [ab]     | a, b",
                "~(a|b)~    | ~(a|b)~  | a",
                "^a$        | ^a$      | a",
                "a?         | a?       | a, ab",
                "\"a\\*c\"  | a*c      | abc, ac, a",
                "\"a\\\\\"  | a\\      | a",
                "\"a b*\"   | a b, a bc | a, ab",
                "\"#*\"     | #1       | 1",
                "ü*         | üb       | ub"
            })
    void wildcardStandsForAnyTextAndOthersForThemselves(String pattern, String yes, String no) {
        for (String namespace : yes.split(", ", -1)) {
            assertThat(matches(pattern, namespace))
                    .as("%s %s", pattern, namespace)
                    .isTrue();
        }
        for (String namespace : no == null ? new String[0] : no.split(", ", -1)) {
            assertThat(matches(pattern, namespace))
                    .as("%s %s", pattern, namespace)
                    .isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "namespaces a allow read; begins with 'namespaces'; write 'namespace PATTERN",
                "\"cluster\" allow read; begins with 'cluster'; write 'namespace",
                "cl*ster allow read; begins with 'cl*ster'; write",
                "NAMESPACE a allow read; begins with 'NAMESPACE'; write",
                "namespace; has no namespace; name one, or write * for all",
                "namespace \"\" allow read; has no namespace; name one",
                "namespace a; has neither allow nor deny; write",
                "cluster; has neither allow nor deny; write",
                "namespace a permit read; has 'permit' in place of allow or deny; write",
                "namespace a \"allow\" read; has 'allow' in place of; write",
                "namespace a b allow read; has 'b' in place of allow or deny; write",
                "namespace a allow; names no permission; use VOLUME_LIST, VOLUME_READ, VOLUME_WRITE, VOLUME_MOUNT, read or all",
                "cluster deny # read; names no permission; PLUGIN_LIST",
                "namespace a allow VOLUME_REED; unknown permission 'VOLUME_REED'; use VOLUME_LIST",
                "namespace a allow volume_read; unknown permission 'volume_read'; use VOLUME_LIST",
                "namespace a allow write; unknown permission 'write'; use",
                "namespace a allow *; unknown permission '*'; use",
                "namespace a allow VOLUME_LIST, VOLUME_READ; unknown permission 'VOLUME_LIST,'; use",
                "namespace a allow PLUGIN_READ; PLUGIN_READ, which is a permission of the cluster; begins with cluster",
                "cluster allow VOLUME_READ; VOLUME_READ, which is given by namespace; begins with namespace",
                "cluster * allow read; has '*' in place of allow or deny; write",
                "namespace \"a allow read; has no closing quotation mark; close the text",
                "namespace \"a\\\" allow read; has no closing quotation mark; close the text",
                "namespace \"a\\n\" allow read; unknown escape \\n; use \\\" for",
                "namespace a\"b allow read; has \" in a word without quotation marks; write the word in",
                "namespace a\\* allow read; has \\ in a word without quotation marks; write the word in",
                "namespace \"a\"b allow read; no space after a closing; put a space",
                "namespace a allow re\u202ead; unknown permission 're\\u202Ead'; use"
            })
    void badLineHasNumberProblemAndRemedy(String line, String problem, String remedy) {
        PolicyParser.Result result = parse("# first\n\n" + line + "\ncluster allow read\n");
        assertThat(result.problems()).singleElement().satisfies(found -> {
            assertThat(found.file()).isEqualTo("x.policy");
            assertThat(found.line()).isEqualTo(3);
            assertThat(found.problem()).contains(problem);
            assertThat(found.remedy()).contains(remedy);
            assertThat(found.toString()).startsWith("x.policy:3: " + found.problem() + "; ");
        });
    }

    @Test
    void allBadLinesAreNamed() {
        assertThat(parse("a\ncluster allow read\nb\nc\n").problems().stream()
                        .map(PolicyProblem::line)
                        .collect(Collectors.toList()))
                .isEqualTo(Arrays.asList(1, 3, 4));
    }

    @Test
    void lineThatIsNotUtf8IsNamed() {
        byte[] bytes = "cluster allow read\n# caf\u00e9\n".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(PolicyParser.parse("x.policy", bytes).problems())
                .extracting(PolicyProblem::toString)
                .containsExactly("x.policy:2: is not UTF-8; store the file as UTF-8");
    }
}
