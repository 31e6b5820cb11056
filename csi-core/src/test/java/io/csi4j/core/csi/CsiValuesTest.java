package io.csi4j.core.csi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CsiValuesTest {
    @Test
    void emptyOrTooLongIdsAreRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExternalVolumeId.of(""))
                .withMessageContaining("volume");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExternalNodeId.of(""))
                .withMessageContaining("node");
        assertThatIllegalArgumentException().isThrownBy(() -> SnapshotId.of("")).withMessageContaining("snapshot");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GroupSnapshotId.of(""))
                .withMessageContaining("group");
        // The provider made it; there is no other handle.
        assertThat(ExternalVolumeId.of("x".repeat(1000)).value()).hasSize(1000);
    }

    @Test
    void capacityRangeThatNoSizeCanSatisfyIsRejected() {
        assertThat(CapacityRange.atLeast(1)).isEqualTo(new CapacityRange(1, 0));
        assertThat(CapacityRange.between(5, 5)).isEqualTo(new CapacityRange(5, 5));
        assertThat(CapacityRange.between(0, 1).limitBytes()).isEqualTo(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CapacityRange.atLeast(-1))
                .withMessageContaining("-1");
        assertThatIllegalArgumentException().isThrownBy(() -> CapacityRange.between(0, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CapacityRange.between(6, 5))
                .withMessageContaining("limitBytes 5 is below requiredBytes 6");
    }

    @Test
    void protocolNumbersOfEnumConstantsAreConsecutive() {
        for (WireEnum[] values : List.<WireEnum[]>of(
                VolumeAccessMode.values(),
                BlockMetadataType.values(),
                VolumeUsageUnit.values(),
                VolumeHealthStatus.values(),
                StorageHealthStatus.values())) {
            assertThat(Arrays.stream(values).map(WireEnum::number))
                    .containsExactlyElementsOf(
                            Stream.iterate(0, i -> i + 1).limit(values.length).toList());
        }
        for (WireEnum[] values : List.<WireEnum[]>of(
                ControllerCapability.values(),
                NodeCapability.values(),
                PluginService.values(),
                GroupControllerCapability.values(),
                VolumeExpansion.values())) {
            assertThat(Arrays.stream(values).map(WireEnum::number))
                    .containsExactlyElementsOf(
                            Stream.iterate(1, i -> i + 1).limit(values.length).toList());
        }
    }

    @Test
    void accessModePropertiesFollowSpecification() {
        assertThat(Arrays.stream(VolumeAccessMode.values()).filter(VolumeAccessMode::multiNode))
                .containsExactly(
                        VolumeAccessMode.MULTI_NODE_READER_ONLY,
                        VolumeAccessMode.MULTI_NODE_SINGLE_WRITER,
                        VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        assertThat(Arrays.stream(VolumeAccessMode.values()).filter(VolumeAccessMode::readerOnly))
                .containsExactly(VolumeAccessMode.SINGLE_NODE_READER_ONLY, VolumeAccessMode.MULTI_NODE_READER_ONLY);
    }

    @Test
    void topologyKeepsTheOrderOfItsSegments() {
        Map<String, String> segments = new LinkedHashMap<>();
        segments.put("z", "1");
        segments.put("a", "2");
        Topology topology = new Topology(segments);
        segments.clear();

        assertThat(topology.segments().keySet()).containsExactly("z", "a");
    }

    @Test
    void endOffsetOfBlockRangeIsStartOffsetPlusSize() {
        assertThat(new BlockMetadata(4096, 512).endOffset()).isEqualTo(4608);
    }
}
