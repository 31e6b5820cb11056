package io.csi4j.testkit;

import static io.csi4j.testkit.PluginClient.refused;
import static io.grpc.Status.Code.OUT_OF_RANGE;
import static io.grpc.Status.Code.RESOURCE_EXHAUSTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.GetCapacityRequest;
import io.csi4j.proto.csi.v1.GetCapacityResponse;
import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.proto.csi.v1.Volume;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The capacity of topology segments, and the choice of the place (R53, R58, R75). */
class SegmentCapacityTest {
    private static final Map<String, String> A = Map.of("zone", "a");
    private static final Map<String, String> B = Map.of("zone", "b");
    private static final Map<String, String> C = Map.of("zone", "c");

    @TempDir
    Path directory;

    private final FakeCsiPlugin plugin = FakeCsiPlugin.builder()
            .topology(A)
            .knownNode("node-b", B)
            .capacity(A, 100)
            .capacity(B, 50)
            .build()
            .startInProcess();
    private final PluginClient client = PluginClient.inProcess(plugin);
    private final Walk walk = new Walk(client, plugin.nodeId());

    @AfterEach
    void close() {
        client.close();
        plugin.close();
    }

    private static Topology place(Map<String, String> segments) {
        return Topology.newBuilder().putAllSegments(segments).build();
    }

    private CreateVolumeRequest request(
            String name, long bytes, List<Map<String, String>> requisite, List<Map<String, String>> preferred) {
        walk.bytes = bytes;
        CreateVolumeRequest.Builder request = walk.createRequest(name);
        requisite.forEach(one -> request.getAccessibilityRequirementsBuilder().addRequisite(place(one)));
        preferred.forEach(one -> request.getAccessibilityRequirementsBuilder().addPreferred(place(one)));
        return request.build();
    }

    private Volume create(
            String name, long bytes, List<Map<String, String>> requisite, List<Map<String, String>> preferred) {
        return client.controller()
                .createVolume(request(name, bytes, requisite, preferred))
                .getVolume();
    }

    private static Map<String, String> placeOf(Volume volume) {
        assertThat(volume.getAccessibleTopologyCount()).isEqualTo(1);
        return volume.getAccessibleTopology(0).getSegmentsMap();
    }

    private GetCapacityResponse capacity(Map<String, String> segments, Map<String, String> parameters) {
        GetCapacityRequest.Builder request = GetCapacityRequest.newBuilder().putAllParameters(parameters);
        if (!segments.isEmpty()) {
            request.setAccessibleTopology(place(segments));
        }
        return client.controller().getCapacity(request.build());
    }

    private long available(Map<String, String> segments) {
        return capacity(segments, Map.of()).getAvailableCapacity();
    }

    private void expand(Volume volume, long bytes) {
        var unused = client.controller()
                .controllerExpandVolume(ControllerExpandVolumeRequest.newBuilder()
                        .setVolumeId(volume.getVolumeId())
                        .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(bytes))
                        .build());
    }

    @Test
    void volumeGoesToFirstPreferredPlaceWithRoomThenToAnotherRequisiteOne() {
        assertThat(placeOf(create("one", 40, List.of(A, B), List.of(B)))).isEqualTo(B);
        // B has 10 left, so the preference cannot be honoured.
        assertThat(placeOf(create("two", 40, List.of(A, B), List.of(B)))).isEqualTo(A);
        assertThat(available(A)).isEqualTo(60);
        assertThat(available(B)).isEqualTo(10);
        assertThat(placeOf(create("three", 10, List.of(A, B), List.of()))).isEqualTo(A);
        assertThat(placeOf(create("four", 10, List.of(B, A), List.of()))).isEqualTo(B);
    }

    @Test
    void requiredPlaceWithoutRoomIsRefusedAlthoughThereIsRoomElsewhere() {
        assertThat(refused(RESOURCE_EXHAUSTED, () -> create("one", 60, List.of(B), List.of())))
                .contains("60 bytes", "{zone=b} has 50");
        // A preferred topology is not required: the volume goes where there is room.
        assertThat(placeOf(create("two", 60, List.of(), List.of(B)))).isEqualTo(A);
        assertThat(refused(RESOURCE_EXHAUSTED, () -> create("three", 60, List.of(), List.of())))
                .contains("{zone=a} has 40", "{zone=b} has 50");
        assertThat(plugin.storage().volumeIds()).hasSize(1);
    }

    @Test
    void deletedVolumeGivesItsRoomBackWithItsExpansions() {
        Volume volume = create("one", 40, List.of(A), List.of());
        expand(volume, 90);
        assertThat(available(A)).isEqualTo(10);
        assertThat(refused(OUT_OF_RANGE, () -> expand(volume, 101))).contains("10 left");
        refused(RESOURCE_EXHAUSTED, () -> create("two", 11, List.of(A), List.of()));
        walk.delete(volume.getVolumeId());
        assertThat(available(A)).isEqualTo(100);
        assertThat(placeOf(create("two", 100, List.of(A), List.of()))).isEqualTo(A);
    }

    @Test
    void capacityChangesWhilePluginRuns() {
        Volume volume = create("one", 40, List.of(A), List.of());
        plugin.storage().setCapacity(A, 10);
        assertThat(available(A)).isZero();
        refused(RESOURCE_EXHAUSTED, () -> create("two", 1, List.of(A), List.of()));
        plugin.storage().setCapacity(A, 41);
        assertThat(placeOf(create("two", 1, List.of(A), List.of()))).isEqualTo(A);
        // The repeated call returns the volume, whatever is left.
        plugin.storage().setCapacity(A, 0);
        assertThat(create("one", 40, List.of(A), List.of())).isEqualTo(volume);
    }

    @Test
    void capacityOfUnknownPlaceIsZero() {
        assertThat(available(C)).isZero();
        refused(RESOURCE_EXHAUSTED, () -> create("one", 1, List.of(C), List.of()));
        // A segment with a capacity is a known place, also without a node.
        plugin.storage().setCapacity(C, 7);
        assertThat(available(C)).isEqualTo(7);
        assertThat(placeOf(create("one", 7, List.of(C), List.of()))).isEqualTo(C);
    }

    @Test
    void largePlaceHasSumOfItsSegmentsAndVolumeFitsIntoOne() {
        Map<String, String> west = Map.of("region", "west");
        Map<String, String> first = Map.of("region", "west", "zone", "w1");
        Map<String, String> second = Map.of("region", "west", "zone", "w2");
        plugin.storage().setCapacity(first, 30);
        plugin.storage().setCapacity(second, 20);
        assertThat(available(west)).isEqualTo(50);
        assertThat(capacity(west, Map.of()).getMaximumVolumeSize().getValue()).isEqualTo(30);
        assertThat(placeOf(create("one", 25, List.of(west), List.of()))).isEqualTo(first);
        assertThat(placeOf(create("two", 15, List.of(west), List.of()))).isEqualTo(second);
        assertThat(available(west)).isEqualTo(10);
        refused(RESOURCE_EXHAUSTED, () -> create("three", 10, List.of(west), List.of()));
        // A capacity of the region itself limits all of it.
        plugin.storage().setCapacity(west, 43);
        assertThat(available(west)).isEqualTo(3);
        refused(RESOURCE_EXHAUSTED, () -> create("four", 5, List.of(second), List.of()));
        assertThat(placeOf(create("five", 3, List.of(second), List.of()))).isEqualTo(second);
    }

    @Test
    void volumeOutsideOfSizesOfPlaceIsOutOfRange() {
        plugin.storage().setCapacity(SegmentCapacity.of(A, 300).withVolumeSizes(10, 100));
        GetCapacityResponse capacity = capacity(A, Map.of());
        assertThat(capacity.getAvailableCapacity()).isEqualTo(300);
        assertThat(capacity.getMinimumVolumeSize().getValue()).isEqualTo(10);
        assertThat(capacity.getMaximumVolumeSize().getValue()).isEqualTo(100);
        assertThat(refused(OUT_OF_RANGE, () -> create("large", 120, List.of(A), List.of())))
                .contains("{zone=a} allows 10 to 100");
        refused(OUT_OF_RANGE, () -> create("small", 9, List.of(A), List.of()));
        // Room in another place is room, and its lack says more than the size.
        assertThat(placeOf(create("small", 9, List.of(A, B), List.of()))).isEqualTo(B);
        refused(RESOURCE_EXHAUSTED, () -> create("large", 120, List.of(A, B), List.of()));
        Volume whole = create("whole", 100, List.of(A), List.of());
        assertThat(refused(OUT_OF_RANGE, () -> expand(whole, 101))).contains("at most 100 for a volume");
        var unused = create("second", 100, List.of(A), List.of());
        unused = create("third", 60, List.of(A), List.of());
        assertThat(capacity(A, Map.of()).getMaximumVolumeSize().getValue()).isEqualTo(40);
    }

    @Test
    void builderTakesSizesAndParametersOfAPlace() {
        try (FakeCsiPlugin other = FakeCsiPlugin.builder()
                        .topology(A)
                        .capacity(A, 500)
                        .capacity(SegmentCapacity.of(A, 300).withVolumeSizes(10, 100))
                        .capacity(SegmentCapacity.of(A, 40).forParameters(Map.of("tier", "fast")))
                        .build()
                        .startInProcess();
                PluginClient its = PluginClient.inProcess(other)) {
            GetCapacityRequest.Builder request = GetCapacityRequest.newBuilder().setAccessibleTopology(place(A));
            GetCapacityResponse all = its.controller().getCapacity(request.build());
            assertThat(all.getAvailableCapacity()).isEqualTo(300);
            assertThat(all.getMinimumVolumeSize().getValue()).isEqualTo(10);
            assertThat(all.getMaximumVolumeSize().getValue()).isEqualTo(100);
            assertThat(its.controller()
                            .getCapacity(request.putParameters("tier", "fast").build())
                            .getAvailableCapacity())
                    .isEqualTo(40);
        }
    }

    @Test
    void capacityDependsOnParameters() {
        Map<String, String> fast = Map.of("pool", "fast");
        plugin.storage().setCapacity(SegmentCapacity.of(A, 20).forParameters(fast));
        assertThat(capacity(A, fast).getAvailableCapacity()).isEqualTo(20);
        assertThat(capacity(A, Map.of("pool", "slow")).getAvailableCapacity()).isEqualTo(100);
        CreateVolumeRequest inPool = request("one", 20, List.of(A), List.of()).toBuilder()
                .putAllParameters(fast)
                .build();
        var unused = client.controller().createVolume(inPool);
        assertThat(capacity(A, fast).getAvailableCapacity()).isZero();
        // The volume also takes room from the segment as a whole.
        assertThat(available(A)).isEqualTo(80);
        refused(
                RESOURCE_EXHAUSTED,
                () -> client.controller()
                        .createVolume(inPool.toBuilder().setName("two").build()));
        assertThat(placeOf(create("three", 80, List.of(A), List.of()))).isEqualTo(A);
    }

    @Test
    void sizesAreRoundedUpToUnitOfStorage() {
        try (FakeCsiPlugin rounding = FakeCsiPlugin.builder()
                        .storage(plugin.storage())
                        .nodeId("rounding")
                        .topology(A)
                        .sizeUnit(16)
                        .build()
                        .startInProcess();
                PluginClient other = PluginClient.inProcess(rounding)) {
            Volume volume = other.controller()
                    .createVolume(request("one", 17, List.of(A), List.of()))
                    .getVolume();
            assertThat(volume.getCapacityBytes()).isEqualTo(32);
            assertThat(available(A)).isEqualTo(68);
            assertThat(other.controller()
                            .createVolume(request("one", 17, List.of(A), List.of()))
                            .getVolume())
                    .isEqualTo(volume);
            CreateVolumeRequest.Builder limited = request("two", 17, List.of(A), List.of()).toBuilder();
            limited.getCapacityRangeBuilder().setLimitBytes(31);
            assertThat(refused(OUT_OF_RANGE, () -> other.controller().createVolume(limited.build())))
                    .contains("32 bytes");
            assertThat(other.controller()
                            .controllerExpandVolume(ControllerExpandVolumeRequest.newBuilder()
                                    .setVolumeId(volume.getVolumeId())
                                    .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(33))
                                    .build())
                            .getCapacityBytes())
                    .isEqualTo(48);
        }
    }

    @Test
    void directoryKeepsChangedCapacityOverBuilderOfNextPlugin() {
        Path state = directory.resolve("state");
        FakeStorage.inDirectory(state, 1000)
                .setCapacity(SegmentCapacity.of(A, 5).withVolumeSizes(2, 4));
        try (FakeCsiPlugin next = FakeCsiPlugin.builder()
                        .stateDir(state)
                        .topology(A)
                        .capacity(A, 100)
                        .capacity(B, 3)
                        .build()
                        .startInProcess();
                PluginClient other = PluginClient.inProcess(next)) {
            GetCapacityResponse kept = other.controller()
                    .getCapacity(GetCapacityRequest.newBuilder()
                            .setAccessibleTopology(place(A))
                            .build());
            assertThat(kept.getAvailableCapacity()).isEqualTo(5);
            assertThat(kept.getMinimumVolumeSize().getValue()).isEqualTo(2);
            assertThat(kept.getMaximumVolumeSize().getValue()).isEqualTo(4);
            assertThat(other.controller()
                            .getCapacity(GetCapacityRequest.newBuilder()
                                    .setAccessibleTopology(place(B))
                                    .build())
                            .getAvailableCapacity())
                    .isEqualTo(3);
        }
    }

    @Test
    void processTakesCapacitiesFromArgumentsAndFromTest() {
        String endpoint = "unix://" + directory.resolve("p.sock");
        try (FakePluginProcess process = FakePluginProcess.builder(endpoint)
                        .stateDir(directory.resolve("state"))
                        .topology(A)
                        .capacity(A, 100)
                        .arguments("--size-unit", "16")
                        .start();
                PluginClient other = PluginClient.on(endpoint)) {
            Volume volume = other.controller()
                    .createVolume(request("one", 90, List.of(A), List.of()))
                    .getVolume();
            assertThat(volume.getCapacityBytes()).isEqualTo(96);
            refused(
                    RESOURCE_EXHAUSTED,
                    () -> other.controller().createVolume(request("two", 10, List.of(A), List.of())));
            process.setCapacity(A, 112);
            process.killForcibly();
            process.restart();
        }
        try (FakePluginProcess process = FakePluginProcess.builder(endpoint)
                        .stateDir(directory.resolve("state"))
                        .topology(A)
                        .capacity(A, 1)
                        .start();
                PluginClient other = PluginClient.on(endpoint)) {
            assertThat(other.controller()
                            .createVolume(request("two", 16, List.of(A), List.of()))
                            .getVolume()
                            .getCapacityBytes())
                    .isEqualTo(16);
            assertThat(process.isAlive()).isTrue();
        }
    }

    @Test
    void wrongCapacitiesAreRefusedWithAllProblems() {
        assertThatThrownBy(() -> plugin.storage().setCapacity(Map.of("zone", "-"), -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("value of 'zone'")
                .hasMessageContaining("bytes: are -1");
        assertThatThrownBy(() -> SegmentCapacity.of(A, 1).withVolumeSizes(3, 2))
                .hasMessageContaining("is 3 and more than the maximum, which is 2");
        assertThatThrownBy(() ->
                        FakeCsiPlugin.builder().capacity(A, -1).sizeUnit(0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("capacity of {zone=a}: bytes: are -1")
                .hasMessageContaining("sizeUnit must be greater than zero");
    }
}
