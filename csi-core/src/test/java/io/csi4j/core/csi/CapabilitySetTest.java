package io.csi4j.core.csi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class CapabilitySetTest {
    @Test
    void knownCapabilityNumbersBecomeEnumValues() {
        for (ControllerCapability capability : ControllerCapability.values()) {
            CapabilitySet<ControllerCapability> set =
                    CapabilitySet.fromNumbers(ControllerCapability.class, List.of(capability.number()));

            assertThat(set.known()).containsExactly(capability);
            assertThat(set.unknownNumbers()).isEmpty();
            assertThat(Arrays.stream(ControllerCapability.values()).filter(set::has))
                    .containsExactly(capability);
        }
    }

    @Test
    void unknownCapabilityNumbersAreKeptAndZeroIsIgnored() {
        CapabilitySet<NodeCapability> set =
                CapabilitySet.fromNumbers(NodeCapability.class, List.of(99, 0, 1, -7, 99, 1));

        assertThat(set.known()).containsExactly(NodeCapability.STAGE_UNSTAGE_VOLUME);
        assertThat(set.unknownNumbers()).containsExactly(-7, 99);
        assertThat(set).hasToString("[STAGE_UNSTAGE_VOLUME] and unknown [-7, 99]");
    }

    @Test
    void emptySetHasNoCapability() {
        CapabilitySet<PluginService> none = CapabilitySet.fromNumbers(PluginService.class, List.of());

        assertThat(none.known()).isEmpty();
        assertThat(none.has(PluginService.CONTROLLER_SERVICE)).isFalse();
        assertThat(none)
                .isEqualTo(CapabilitySet.of(PluginService.class, List.of()))
                .hasToString("[]");
    }

    @Test
    void setsAreEqualOnlyIfTheirKnownAndUnknownCapabilitiesAreEqual() {
        CapabilitySet<NodeCapability> set = CapabilitySet.fromNumbers(NodeCapability.class, List.of(1, 3));

        assertThat(set)
                .isEqualTo(CapabilitySet.of(
                        NodeCapability.class,
                        List.of(NodeCapability.EXPAND_VOLUME, NodeCapability.STAGE_UNSTAGE_VOLUME)))
                .hasSameHashCodeAs(CapabilitySet.fromNumbers(NodeCapability.class, List.of(3, 1)))
                .isNotEqualTo(CapabilitySet.fromNumbers(NodeCapability.class, List.of(1)))
                .isNotEqualTo(CapabilitySet.fromNumbers(NodeCapability.class, List.of(1, 3, 99)));
    }

    @Test
    void setsAreUnmodifiable() {
        CapabilitySet<NodeCapability> set = CapabilitySet.fromNumbers(NodeCapability.class, List.of(1, 99));

        assertThatThrownBy(() -> set.known().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> set.unknownNumbers().clear()).isInstanceOf(UnsupportedOperationException.class);
    }
}
