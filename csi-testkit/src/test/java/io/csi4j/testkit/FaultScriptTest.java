package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.FaultScript;
import io.csi4j.testkit.fault.FaultScriptException;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The text form of faults. */
class FaultScriptTest {
    private static final List<String> LINES = List.of(
            "on ControllerPublishVolume volume vol-1 node node-1 skip 1 times 2 fail UNAVAILABLE \"the storage is away\"",
            "on any probability 0.25 seed 7 delay 200ms",
            "on CreateVolume volume \"a \\\"b\\\" #c\" fail-echoing-secrets INVALID_ARGUMENT",
            "on NodeStageVolume delay 2000ms hang",
            "on NodeStageVolume lose-reply",
            "on NodeStageVolume drop-connection before",
            "on NodeStageVolume drop-connection after",
            "on NodeStageVolume times 1 crash before",
            "on NodeStageVolume times 1 crash after",
            "on GetCapacity answer-wrong tiny-sizes",
            "on ListVolumes answer-wrong new-tokens",
            "on GetCapacity answer-oversized 20000000",
            "on NodePublishVolume times 1 answer-without-effect",
            "on NodePublishVolume times 1 link-target /etc");

    @Test
    void ruleIsPrintedAsScriptLineItWasReadFrom() {
        assertThat(FaultScript.parse(String.join("\n", LINES)))
                .extracting(FaultRule::toString)
                .containsExactlyElementsOf(LINES);
    }

    @Test
    void scriptWithCommentsAndEmptyLinesAndShortFormsIsParsed() {
        assertThat(FaultScript.parse(
                        "# all of it\n\non Probe delay 2s # slow\non CREATE_VOLUME fail-echoing-secrets\n"))
                .extracting(FaultRule::toString)
                .containsExactly("on Probe delay 2000ms", "on CreateVolume fail-echoing-secrets INVALID_ARGUMENT");
    }

    @Test
    void pluginAddsRulesReadFromScript() {
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder().build()) {
            List<String> added = plugin.addFaults(String.join("\n", LINES)).stream()
                    .map(fault -> fault.rule().toString())
                    .collect(Collectors.toList());
            assertThat(added).isEqualTo(LINES);
            assertThat(plugin.faults()).hasSize(LINES.size());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            when Probe hang                             | when          | write: on RPC
            on Prob hang                                | Prob          | for example ControllerPublishVolume
            on Probe wait                               | wait          | correct the word
            on Probe fail BROKEN                        | BROKEN        | UNAVAILABLE or ABORTED
            on Probe fail                               | fail          | a status code like UNAVAILABLE
            on Probe fail OK                            | OK            | no error code
            on Probe times two hang                     | two           | no whole number
            on Probe times 0 hang                       | times is 0    | greater than zero
            on Probe probability 2 hang                 | probability   | at most 1
            on Probe delay 5 hang                       | 5             | has no unit
            on Probe crash later                        | later         | before or after
            on Probe answer-wrong badly                 | badly         | tiny-sizes
            on Probe hang times 2                       | times         | after the action
            on Probe                                    | no action     | end it with fail
            on Probe fail INTERNAL \"text               | text          | never closed
            """)
    void scriptErrorContainsLineNumberAndWrongWordAndRemedy(String line, String word, String remedy) {
        assertThatThrownBy(() -> FaultScript.parse("# first\non Probe hang\n" + line))
                .isInstanceOfSatisfying(
                        FaultScriptException.class,
                        error -> assertThat(error.line()).isEqualTo(3))
                .hasMessageStartingWith("line 3: ")
                .hasMessageContaining(word)
                .hasMessageContaining(remedy);
    }
}
