package io.csi4j.core.lifecycle.internal.step;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VolumeAnswerTest {
    private static final VolumeContentSource SNAPSHOT = VolumeContentSource.snapshot(SnapshotId.of("s"));
    private static final VolumeContentSource VOLUME = VolumeContentSource.volume(ExternalVolumeId.of("v"));
    private static final Topology ZONE_A = Topology.of(Map.of("zone", "a"));
    private static final Topology ZONE_B = Topology.of(Map.of("zone", "b"));
    private static final Topology RACK = Topology.of(Map.of("zone", "a", "rack", "1"));

    private static VolumeSpec.Builder spec() {
        return VolumeSpec.builder(PluginId.of("p"))
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)));
    }

    private static Optional<String> problem(VolumeSpec.Builder spec, ProviderFacts.Builder reported) {
        return VolumeAnswer.problem(spec.build(), reported.build(), true);
    }

    private static ProviderFacts.Builder size(long bytes) {
        return ProviderFacts.builder().capacityBytes(bytes);
    }

    private static ProviderFacts.Builder in(Topology... topologies) {
        return ProviderFacts.builder().accessibleTopology(List.of(topologies));
    }

    @Test
    void sizeMatchesWithinBothBoundsAndIfItIsNotReported() {
        VolumeSpec.Builder spec = spec().capacityRange(CapacityRange.between(10, 20));
        assertThat(problem(spec, size(0))).isEmpty();
        assertThat(problem(spec, size(9))).contains("the volume has 9 bytes, and 10 are required");
        assertThat(problem(spec, size(10))).isEmpty();
        assertThat(problem(spec, size(20))).isEmpty();
        assertThat(problem(spec, size(21))).contains("the volume has 21 bytes, above the limit of 20");
        assertThat(problem(spec().capacityRange(CapacityRange.atLeast(10)), size(21)))
                .as("no limit")
                .isEmpty();
        assertThat(problem(spec(), size(1))).isEmpty();
    }

    @Test
    void sourceMatchesIfItIsTheSameOrMayBeLeftOut() {
        VolumeSpec.Builder copy = spec().contentSource(SNAPSHOT);
        assertThat(problem(copy, ProviderFacts.builder().contentSource(SNAPSHOT)))
                .isEmpty();
        assertThat(problem(copy, ProviderFacts.builder().contentSource(VOLUME)).orElseThrow())
                .contains("was filled from " + VOLUME + " and not from " + SNAPSHOT);
        assertThat(problem(copy, ProviderFacts.builder()).orElseThrow())
                .contains("does not say that the volume was filled from " + SNAPSHOT);
        assertThat(VolumeAnswer.problem(copy.build(), ProviderFacts.builder().build(), false))
                .isEmpty();
        assertThat(problem(spec(), ProviderFacts.builder().contentSource(VOLUME)))
                .isEmpty();
    }

    @Test
    void topologyMatchesIfOneIsWithinTheRequirement() {
        VolumeSpec.Builder local =
                spec().accessibilityRequirements(new TopologyRequirement(List.of(ZONE_A), List.of()));
        assertThat(problem(local, in())).isEmpty();
        assertThat(problem(local, in(ZONE_A))).isEmpty();
        assertThat(problem(local, in(RACK))).isEmpty();
        assertThat(problem(local, in(ZONE_B, ZONE_A))).isEmpty();
        assertThat(problem(local, in(ZONE_B)).orElseThrow())
                .contains("accessible from [" + ZONE_B + "], and none of [" + ZONE_A + "]");
        assertThat(problem(spec(), in(ZONE_B))).isEmpty();
    }

    @Test
    void onlyACreatedVolumeCanDifferFromItsRequest() {
        Volume created = Volume.builder(
                        VolumeKey.of("ns", "v"),
                        spec().capacityRange(CapacityRange.between(10, 20)).build(),
                        1,
                        Instant.EPOCH)
                .origin(VolumeOrigin.CREATED)
                .facts(size(9).build())
                .build();
        assertThat(VolumeAnswer.isMismatch(created, true)).isTrue();
        assertThat(VolumeAnswer.isMismatch(
                        created.toBuilder().facts(size(10).build()).build(), true))
                .isFalse();
        assertThat(VolumeAnswer.isMismatch(
                        created.toBuilder().origin(VolumeOrigin.REGISTERED).build(), true))
                .isFalse();
    }
}
