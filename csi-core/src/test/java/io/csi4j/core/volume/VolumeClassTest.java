package io.csi4j.core.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VolumeClassTest {
    private static final VolumeClassName NAME = VolumeClassName.of("fast");
    private static final RequestedCapability MOUNT = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final RequestedCapability BLOCK = RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final Topology ZONE = Topology.of("example.com/zone", "z1");

    private static VolumeClass.Builder fast() {
        return VolumeClass.builder(NAME, PluginId.of("p1"))
                .parameters(Map.of("pool", "planted-parameter"))
                .mutableParameters(Map.of("iops", "planted-iops"))
                .requestedCapabilities(List.of(MOUNT, BLOCK))
                .mountOptions(MountOptions.of("ext4", "planted-flag"))
                .defaultCapacity(new CapacityRange(200, 300))
                .leastBytes(100)
                .greatestBytes(900)
                .allowedTopologies(List.of(ZONE))
                .binding(VolumeBinding.AT_PLACEMENT)
                .reclaim(ReclaimPolicy.RETAIN)
                .fencingPolicy(FencingPolicy.onFence())
                .secrets(Secrets.of(Map.of("password", "hunter2")))
                .namespaces(List.of(Namespace.of("team-b"), Namespace.of("team-a")));
    }

    @Test
    void allProblemsOfAClassAreInOneMessage() {
        VolumeClass.Builder bad = VolumeClass.builder(NAME, PluginId.of("p1"))
                .parameters(Map.of(VolumeClass.RESERVED_PREFIX + "pvc/name", "planted", "pool", "ssd"))
                .mutableParameters(Map.of(VolumeClass.RESERVED_PREFIX + "x", "planted"))
                .secrets(Secrets.of(Map.of("no/key", "planted")))
                .leastBytes(-1)
                .greatestBytes(-2)
                .allowedTopologies(List.of(new Topology(Map.of("no key", "z1"))));
        assertThatThrownBy(bad::build)
                .isInstanceOf(CsiRequestException.class)
                .hasMessageContainingAll(
                        "volume class fast",
                        "requestedCapabilities is empty (give at least one access mode",
                        "parameters has keys that begin with csi.storage.k8s.io/: 1 (leave them out",
                        "mutableParameters has keys that begin with csi.storage.k8s.io/: 1",
                        "secrets has 1 keys that are empty or hold other characters",
                        "leastBytes is -1 (give a size, or 0 for no limit)",
                        "greatestBytes is -2 (give a size, or 0 for no limit)",
                        "allowedTopologies[0] has the key 'no key'")
                .hasMessageNotContaining("planted");
    }

    @ParameterizedTest
    @CsvSource({
        "100, 99, 100, 0, greatestBytes",
        "100, 200, 99, 0, defaultCapacity.requiredBytes",
        "100, 200, 201, 0, defaultCapacity.requiredBytes",
        "100, 200, 0, 150, defaultCapacity.requiredBytes",
        "100, 200, 100, 201, defaultCapacity.limitBytes",
        "0, 200, 0, 201, defaultCapacity.limitBytes",
        "100, 100, 100, 100, ''",
        "100, 0, 100, 0, ''",
        "0, 200, 0, 200, ''",
        "0, 0, 1, 9, ''"
    })
    void defaultCapacityLiesWithinTheLimits(long least, long greatest, long required, long limit, String field) {
        VolumeClass row = fast().leastBytes(least)
                .greatestBytes(greatest)
                .defaultCapacity(new CapacityRange(required, limit))
                .restore();
        assertThat(row.problems())
                .extracting(Problem::field)
                .containsExactlyElementsOf(field.isEmpty() ? List.of() : List.of(field));
    }

    @Test
    void classWithMoreTopologiesThanARequestCanHaveIsRefused() {
        assertThat(fast().allowedTopologies(Collections.nCopies(VolumeClass.MOST_TOPOLOGIES, ZONE))
                        .restore()
                        .problems())
                .isEmpty();
        assertThat(fast().allowedTopologies(Collections.nCopies(VolumeClass.MOST_TOPOLOGIES + 1, ZONE))
                        .restore()
                        .problems())
                .extracting(Problem::field)
                .containsExactly("allowedTopologies");
    }

    @Test
    void specificationHasAllValuesOfTheClass() {
        VolumeSpec spec = fast().build().spec(VolumeTemplate.of(NAME));
        assertThat(spec)
                .isEqualTo(VolumeSpec.builder(PluginId.of("p1"))
                        .parameters(Map.of("pool", "planted-parameter"))
                        .mutableParameters(Map.of("iops", "planted-iops"))
                        .requestedCapabilities(List.of(MOUNT, BLOCK))
                        .mountOptions(MountOptions.of("ext4", "planted-flag"))
                        .capacityRange(new CapacityRange(200, 300))
                        .accessibilityRequirements(new TopologyRequirement(List.of(ZONE), List.of()))
                        .fencingPolicy(FencingPolicy.onFence())
                        .secrets(Secrets.of(Map.of("password", "hunter2")))
                        .build());
    }

    @Test
    void templateReplacesSizeAndCapabilities() {
        VolumeTemplate template = VolumeTemplate.builder(NAME)
                .capacityRange(CapacityRange.atLeast(500))
                .requestedCapabilities(List.of(BLOCK))
                .build();
        VolumeSpec spec = fast().build().spec(template);
        assertThat(spec.capacityRange()).contains(CapacityRange.atLeast(500));
        assertThat(spec.requestedCapabilities()).containsExactly(BLOCK);
        // A block device has no mount options.
        assertThat(spec.mountOptions()).isEqualTo(MountOptions.none());
        assertThat(spec.problems()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "100, 0", "0, 900", "100, 900"})
    void volumeWithoutSizeHasTheLimitsOfAClassWithoutDefault(long least, long greatest) {
        VolumeClass row = fast().defaultCapacity(null)
                .leastBytes(least)
                .greatestBytes(greatest)
                .build();
        assertThat(row.spec(VolumeTemplate.of(NAME)).capacityRange())
                .isEqualTo(least + greatest == 0 ? Optional.empty() : Optional.of(new CapacityRange(least, greatest)));
    }

    @Test
    void allProblemsOfATemplateAreFound() {
        RequestedCapability other = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        List<Problem> problems = fast().build()
                .problems(VolumeTemplate.builder(NAME)
                        .capacityRange(new CapacityRange(99, 901))
                        .requestedCapabilities(List.of(MOUNT, other))
                        .build());
        assertThat(problems)
                .extracting(Problem::toString)
                .satisfiesExactly(
                        least -> assertThat(least)
                                .isEqualTo(
                                        "capacityRange.requiredBytes is 99 bytes, and the least size of the class is 100"
                                                + " bytes (raise it to 100 bytes at least)"),
                        greatest -> assertThat(greatest)
                                .isEqualTo(
                                        "capacityRange.limitBytes is 901 bytes, and the greatest size of the class is 900"
                                                + " bytes (lower it to 900 bytes at most, or leave it out)"),
                        capability -> assertThat(capability)
                                .startsWith("requestedCapabilities[1] is RequestedCapability[accessMode="
                                        + "MULTI_NODE_MULTI_WRITER, attachmentMode=MOUNT], which class fast does not"
                                        + " have"));
        assertThat(fast().build()
                        .problems(VolumeTemplate.builder(NAME)
                                .capacityRange(new CapacityRange(100, 900))
                                .requestedCapabilities(List.of(BLOCK))
                                .build()))
                .isEmpty();
    }

    @Test
    void classWithoutNamespacesIsOpenToAll() {
        assertThat(fast().build().usableIn(Namespace.of("team-a"))).isTrue();
        assertThat(fast().build().usableIn(Namespace.of("team"))).isFalse();
        assertThat(fast().namespaces(List.of()).build().usableIn(Namespace.of("team")))
                .isTrue();
    }

    @Test
    void textHidesConfidentialValues() {
        assertThat(fast().build().stored(7, 9).toString())
                .contains("fast", "parameters=1 not shown", "createIndex=7", "modifyIndex=9", "team-a", "AT_PLACEMENT")
                .doesNotContain("planted", "hunter2");
    }

    @Test
    void copyHasTheSameValuesAndOtherIndexes() {
        VolumeClass row = fast().build();
        VolumeClass stored = row.stored(7, 9);
        assertThat(stored).isNotEqualTo(row);
        assertThat(stored.sameValues(row)).isTrue();
        assertThat(stored.toBuilder().build()).isEqualTo(row);
        for (VolumeClass other : List.of(
                fast().parameters(Map.of()).build(),
                fast().mutableParameters(Map.of()).build(),
                fast().requestedCapabilities(List.of(MOUNT)).build(),
                fast().mountOptions(MountOptions.none()).build(),
                fast().defaultCapacity(null).build(),
                fast().leastBytes(0).build(),
                fast().greatestBytes(0).build(),
                fast().allowedTopologies(List.of()).build(),
                fast().binding(VolumeBinding.AT_CREATION).build(),
                fast().reclaim(ReclaimPolicy.DELETE).build(),
                fast().fencingPolicy(null).build(),
                fast().secrets(Secrets.empty()).build(),
                fast().namespaces(List.of()).build())) {
            assertThat(stored.sameValues(other)).as("%s", other).isFalse();
        }
    }
}
