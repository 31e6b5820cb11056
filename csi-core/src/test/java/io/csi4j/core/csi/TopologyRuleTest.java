package io.csi4j.core.csi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopologyRuleTest {
    @Test
    void invalidTopologyFromCallerIsRejected() {
        refused(Map.of(), "give at least one key");
        refused(Map.of("Example.com/zone", "z1"), "the key 'Example.com/zone' breaks R24");
        refused(Map.of("zo\u202ene", "z1"), "the key 'zo\\u202Ene' breaks R24");
        refused(Map.of("zone", "-z1"), "the value under 'zone' breaks R24");
        refused(Map.of("zone", "z1", "ZONE", "z1"), "twice but for its case");
        assertThatIllegalArgumentException().isThrownBy(() -> Topology.of("zone", ""));
        assertThat(Topology.of("example.com/zone", "z1").segments()).containsEntry("example.com/zone", "z1");
    }

    @Test
    void invalidTopologyFromPluginIsAccepted() {
        Map<String, String> answered = Map.of("a b", "-");
        assertThat(new Topology(answered).segments()).isEqualTo(answered);
    }

    @Test
    void idKeepsFormatCharactersAndToStringShowsThemAsEscapeSequences() {
        NodeId node = NodeId.of("a\u202eb\u200b\u2028\ufeff");
        assertThat(node).hasToString("a\\u202Eb\\u200B\\u2028\\uFEFF");
        assertThat(node.value()).isEqualTo("a\u202eb\u200b\u2028\ufeff");
        assertThat(VolumeKey.of("d\u2066", "v\u2069")).hasToString("d\\u2066/v\\u2069");
        assertThat(ExternalVolumeId.of("v\n\u001b")).hasToString("v\\n\\u001B");
    }

    private static void refused(Map<String, String> segments, String problem) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Topology.of(segments))
                .withMessageContaining(problem);
    }
}
