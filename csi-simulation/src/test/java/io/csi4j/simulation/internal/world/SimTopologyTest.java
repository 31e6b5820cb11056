package io.csi4j.simulation.internal.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The room in the zones, and the choice of a zone (R53, R58). */
class SimTopologyTest {
    private static final Topology Z1 = Topology.of("sim.example.com/zone", "z1");
    private static final Topology Z2 = Topology.of("sim.example.com/zone", "z2");

    private final SimTopology topology = new SimTopology(true, new SplittableRandom(1));

    private static ExternalVolumeId volume(String id) {
        return ExternalVolumeId.of(id);
    }

    private List<Topology> create(String id, long bytes, List<Topology> requisite, Topology... preferred) {
        return topology.create(
                volume(id), Optional.of(new TopologyRequirement(requisite, List.of(preferred))), bytes, false);
    }

    private static void refused(StatusCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
    }

    @Test
    void volumeGoesToPreferredZoneWithRoomThenToAnotherAllowedOne() {
        topology.setCapacity(Z1, 10);
        assertThat(create("a", 6, List.of(Z1, Z2), Z1, Z2)).containsExactly(Z1);
        assertThat(create("b", 6, List.of(Z1, Z2), Z1)).containsExactly(Z2);
        assertThat(create("c", 4, List.of(Z1, Z2), Z1)).containsExactly(Z1);
        assertThat(topology.available(Optional.of(Z1))).isZero();
        assertThat(topology.available(Optional.of(Z2))).isEqualTo(Long.MAX_VALUE);
        assertThat(topology.available(Optional.empty())).isEqualTo(Long.MAX_VALUE);
        topology.setCapacity(Z2, 13);
        assertThat(topology.available(Optional.empty())).isEqualTo(7);
        // A repeated call gets the same answer, however little room is left.
        assertThat(create("a", 6, List.of(Z1, Z2), Z1, Z2)).containsExactly(Z1);
    }

    @Test
    void volumeWithoutRoomIsRefusedAndTakesNone() {
        topology.setCapacity(Z1, 10);
        topology.setCapacity(Z2, 5);
        refused(StatusCode.RESOURCE_EXHAUSTED, () -> create("a", 6, List.of(Z2)));
        refused(StatusCode.RESOURCE_EXHAUSTED, () -> create("a", 11, List.of(Z1, Z2), Z1));
        assertThat(topology.available(Optional.empty())).isEqualTo(15);
    }

    @Test
    void volumeWithoutRequirementGoesToZoneWithRoomOrToNone() {
        topology.setCapacity(Z1, 0);
        Set<List<Topology>> chosen = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            chosen.add(topology.create(volume("v" + i), Optional.empty(), 1, false));
        }
        assertThat(chosen).containsExactlyInAnyOrder(List.of(), List.of(Z2));
    }

    @Test
    void forgottenVolumeGivesItsRoomBackWithItsExpansions() {
        topology.setCapacity(Z1, 10);
        assertThat(create("a", 4, List.of(Z1))).containsExactly(Z1);
        topology.expand(volume("a"), 9);
        topology.expand(volume("a"), 5);
        assertThat(topology.available(Optional.of(Z1))).isEqualTo(1);
        refused(StatusCode.OUT_OF_RANGE, () -> topology.expand(volume("a"), 11));
        topology.forget(volume("a"));
        assertThat(topology.available(Optional.of(Z1))).isEqualTo(10);
    }
}
