package io.csi4j.core.internal.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class VolumeMergeTest {
    private static final PluginId PLUGIN = PluginId.of("p");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final RequestedCapability READER =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY);
    private static final Topology Z1 = Topology.of("zone", "z1");
    private static final Topology Z2 = Topology.of("zone", "z2");

    private static VolumeSpec.Builder spec() {
        return VolumeSpec.builder(PLUGIN).requestedCapabilities(List.of(WRITER, READER));
    }

    private static Volume volume(VolumeSpec spec) {
        return Volume.builder(VolumeKey.of("default", "v"), spec, 1, Instant.EPOCH)
                .build();
    }

    private static Volume claimed(VolumeSpec spec) {
        return volume(spec).toBuilder()
                .claims(Claims.of(List.of(Claim.builder(AllocationId.of("a"), NodeId.of("n"), ClaimMode.READ, READER)
                        .build())))
                .build();
    }

    private static List<String> conflicts(Volume volume, VolumeSpec declared) {
        return VolumeMerge.of(volume, declared).conflicts().stream()
                .map(Problem::field)
                .toList();
    }

    private static VolumeSpec merged(Volume volume, VolumeSpec declared) {
        return VolumeMerge.of(volume, declared).merged();
    }

    @Test
    void newCapabilitiesMustContainCapabilityInUse() {
        VolumeSpec without = spec().requestedCapabilities(List.of(WRITER)).build();
        assertThat(conflicts(claimed(spec().build()), without)).containsExactly("requestedCapabilities");
        assertThat(merged(volume(spec().build()), without).requestedCapabilities())
                .containsExactly(WRITER);
    }

    @Test
    void topologyRequirementCannotChangeAfterTopologyIsKnown() {
        TopologyRequirement request = new TopologyRequirement(List.of(Z1, Z2), List.of(Z2));
        Volume placed = volume(spec().accessibilityRequirements(request).build()).toBuilder()
                .facts(ProviderFacts.builder().accessibleTopology(List.of(Z1)).build())
                .build();
        List<TopologyRequirement> others = List.of(
                new TopologyRequirement(List.of(Z1, Z2, Topology.of("zone", "z3")), List.of(Z2)),
                new TopologyRequirement(List.of(Z1, Z2), List.of()),
                TopologyRequirement.requisite(Z1));
        for (TopologyRequirement other : others) {
            assertThat(conflicts(placed, spec().accessibilityRequirements(other).build()))
                    .containsExactly("accessibilityRequirements");
        }
        assertThat(conflicts(placed, spec().build()))
                .as("the requirement cannot be dropped")
                .containsExactly("accessibilityRequirements");
        assertThat(conflicts(placed, spec().accessibilityRequirements(request).build()))
                .isEmpty();
        assertThat(merged(
                                volume(spec().build()),
                                spec().accessibilityRequirements(request).build())
                        .accessibilityRequirements())
                .contains(request);
    }

    @Test
    void mountOptionsCannotChangeWhileVolumeIsInUse() {
        VolumeSpec with =
                spec().mountOptions(MountOptions.of("ext4", "noatime")).build();
        VolumeSpec other = spec().mountOptions(MountOptions.of("ext4", "ro")).build();
        assertThat(conflicts(claimed(with), other)).containsExactly("mountOptions");
        VolumeSpec flags = spec().mountOptions(MountOptions.of("ext4", "noatime", "discard"))
                .build();
        VolumeSpec reversed = spec().mountOptions(MountOptions.of("ext4", "discard", "noatime"))
                .build();
        assertThat(conflicts(claimed(flags), reversed)).isEmpty();
        assertThat(conflicts(claimed(with), with)).isEmpty();
        assertThat(merged(claimed(with), spec().build()).mountOptions())
                .as("mount options that are left out stay unchanged")
                .isEqualTo(with.mountOptions());
        assertThat(merged(volume(with), other).mountOptions()).isEqualTo(other.mountOptions());
        Volume attached = volume(with).toBuilder()
                .attachments(Attachments.empty()
                        .with(Attachment.builder(NodeId.of("n"), READER).build()))
                .build();
        assertThat(conflicts(attached, other))
                .as("an attached volume is in use")
                .containsExactly("mountOptions");
    }

    @Test
    void allConflictsAreReportedInOrderWithoutSensitiveValues() {
        VolumeSpec known = spec().name("data")
                .externalVolumeId(ExternalVolumeId.of("ext"))
                .parameters(Map.of("password", "hunter2"))
                .contentSource(VolumeContentSource.volume(ExternalVolumeId.of("one")))
                .build();
        Volume volume = claimed(known).toBuilder()
                .facts(ProviderFacts.builder()
                        .capacityBytes(100)
                        .accessibleTopology(List.of(Z1))
                        .build())
                .build();
        VolumeSpec declared = VolumeSpec.builder(PluginId.of("q"))
                .name("other")
                .externalVolumeId(ExternalVolumeId.of("another"))
                .requestedCapabilities(List.of(WRITER))
                .mountOptions(MountOptions.of("xfs", "hunter2"))
                .parameters(Map.of("password", "hunter2!"))
                .contentSource(VolumeContentSource.volume(ExternalVolumeId.of("two")))
                .accessibilityRequirements(TopologyRequirement.requisite(Z2))
                .capacityRange(CapacityRange.between(10, 99))
                .build();
        VolumeMerge merge = VolumeMerge.of(volume, declared);
        assertThat(merge.conflicts())
                .extracting(Problem::field)
                .containsExactly(
                        "pluginId",
                        "name",
                        "externalVolumeId",
                        "requestedCapabilities",
                        "mountOptions",
                        "parameters",
                        "contentSource",
                        "accessibilityRequirements",
                        "capacityRange.limitBytes");
        assertThat(merge.conflicts().toString()).doesNotContain("hunter2");
        assertThatIllegalStateException().isThrownBy(merge::merged);
    }

    @Test
    void registrationReplacesGivenFieldsAndKeepsOldValuesOfMissingFields() {
        VolumeSpec full = spec().name("data")
                .externalVolumeId(ExternalVolumeId.of("ext"))
                .mountOptions(MountOptions.of("ext4"))
                .secrets(Secrets.of(Map.of("a", "b")))
                .parameters(Map.of("a", "b"))
                .mutableParameters(Map.of("c", "d"))
                .volumeContext(VolumeContext.of(Map.of("e", "f")))
                .capacityRange(CapacityRange.atLeast(1))
                .contentSource(VolumeContentSource.volume(ExternalVolumeId.of("src")))
                .accessibilityRequirements(TopologyRequirement.requisite(Z1))
                .fencingPolicy(FencingPolicy.afterGrace(Duration.ofMinutes(5)))
                .build();
        assertThat(merged(volume(full), spec().build())).isEqualTo(full);
        VolumeSpec news = spec().secrets(Secrets.of(Map.of("x", "y")))
                .mutableParameters(Map.of("x", "y"))
                .volumeContext(VolumeContext.of(Map.of("x", "y")))
                .capacityRange(CapacityRange.atLeast(5))
                .fencingPolicy(FencingPolicy.onFence())
                .build();
        VolumeSpec merged = merged(volume(full), news);
        assertThat(merged.secrets()).isEqualTo(news.secrets());
        assertThat(merged.mutableParameters()).isEqualTo(news.mutableParameters());
        assertThat(merged.volumeContext()).isEqualTo(news.volumeContext());
        assertThat(merged.capacityRange()).isEqualTo(news.capacityRange());
        assertThat(merged.declaredFencingPolicy()).contains(FencingPolicy.onFence());
        assertThat(merged.parameters()).isEqualTo(full.parameters());
    }

    @Test
    void repeatedCreationWithOtherSharingIsReportedAsConflict() {
        VolumeSpec shared = spec().sharedWith(List.of(Namespace.of("team-a"))).build();
        Volume made = volume(shared).toBuilder().origin(VolumeOrigin.CREATED).build();
        assertThat(VolumeMerge.repeat(made, shared)).isEmpty();
        assertThat(VolumeMerge.repeat(made, spec().build()))
                .as("a field that is left out keeps its value")
                .isEmpty();
        assertThat(VolumeMerge.repeat(
                        made, spec().sharedWith(List.of(Namespace.of("team-b"))).build()))
                .extracting(Problem::field)
                .containsExactly("sharedWith");
    }

    @Test
    void differentExternalIdIsReportedAsConflict() {
        Volume implicit = volume(spec().build());
        assertThat(conflicts(
                        implicit,
                        spec().externalVolumeId(ExternalVolumeId.of("v")).build()))
                .as("the external id is the volume id by default")
                .isEmpty();
        assertThat(conflicts(
                        implicit,
                        spec().externalVolumeId(ExternalVolumeId.of("w")).build()))
                .containsExactly("externalVolumeId");
        Volume creating = implicit.toBuilder()
                .origin(VolumeOrigin.CREATED)
                .phase(VolumePhase.CREATING)
                .build();
        assertThat(conflicts(
                        creating,
                        spec().externalVolumeId(ExternalVolumeId.of("v")).build()))
                .containsExactly("externalVolumeId");
    }

    @Test
    void newCapacityRangeReplacesOldOneAndLimitBelowCurrentSizeIsConflict() {
        Volume sized = volume(
                        spec().capacityRange(CapacityRange.between(50, 200)).build())
                .toBuilder()
                .facts(ProviderFacts.builder().capacityBytes(100).build())
                .build();
        assertThat(after(sized, CapacityRange.between(150, 200)).spec().capacityRange())
                .as("a larger required size")
                .contains(CapacityRange.between(150, 200));
        assertThat(after(sized, CapacityRange.between(10, 200)).spec().capacityRange())
                .as("a smaller required size")
                .contains(CapacityRange.between(10, 200));
        assertThat(after(sized, CapacityRange.between(50, 900)).spec().capacityRange())
                .as("a larger limit")
                .contains(CapacityRange.between(50, 900));
        assertThat(conflicts(
                        sized,
                        spec().capacityRange(CapacityRange.between(10, 99)).build()))
                .containsExactly("capacityRange.limitBytes");
        assertThat(after(sized, null).spec().capacityRange())
                .as("the old range is kept if none is given")
                .contains(CapacityRange.between(50, 200));
    }

    @Test
    void limitMayBeTheCurrentSize() {
        Volume sized = volume(spec().build()).toBuilder()
                .facts(ProviderFacts.builder().capacityBytes(100).build())
                .build();
        assertThat(conflicts(
                        sized,
                        spec().capacityRange(CapacityRange.between(10, 100)).build()))
                .isEmpty();
    }

    /** A field of a creation: how it was given, and how another request gives it. */
    private record Field(
            String name,
            boolean isSent,
            UnaryOperator<VolumeSpec.Builder> known,
            UnaryOperator<VolumeSpec.Builder> other) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Field sent(
            String name, UnaryOperator<VolumeSpec.Builder> known, UnaryOperator<VolumeSpec.Builder> other) {
        return new Field(name, true, known, other);
    }

    private static Field kept(
            String name, UnaryOperator<VolumeSpec.Builder> known, UnaryOperator<VolumeSpec.Builder> other) {
        return new Field(name, false, known, other);
    }

    static Stream<Field> fields() {
        return Stream.of(
                sent(
                        "parameters",
                        spec -> spec.parameters(Map.of("a", "b")),
                        spec -> spec.parameters(Map.of("a", "c"))),
                sent(
                        "contentSource",
                        spec -> spec.contentSource(VolumeContentSource.volume(ExternalVolumeId.of("one"))),
                        spec -> spec.contentSource(VolumeContentSource.volume(ExternalVolumeId.of("two")))),
                sent(
                        "mountOptions",
                        spec -> spec.mountOptions(MountOptions.of("ext4")),
                        spec -> spec.mountOptions(MountOptions.of("xfs"))),
                sent(
                        "mutableParameters",
                        spec -> spec.mutableParameters(Map.of("tier", "gold")),
                        spec -> spec.mutableParameters(Map.of("tier", "silver"))),
                sent(
                        "capacityRange",
                        spec -> spec.capacityRange(CapacityRange.atLeast(100)),
                        spec -> spec.capacityRange(CapacityRange.atLeast(200))),
                sent(
                        "accessibilityRequirements",
                        spec -> spec.accessibilityRequirements(TopologyRequirement.requisite(Z1)),
                        spec -> spec.accessibilityRequirements(TopologyRequirement.requisite(Z2))),
                kept(
                        "secrets",
                        spec -> spec.secrets(Secrets.of(Map.of("k", "one"))),
                        spec -> spec.secrets(Secrets.of(Map.of("k", "two")))),
                kept(
                        "fencingPolicy",
                        spec -> spec.fencingPolicy(FencingPolicy.onFence()),
                        spec -> spec.fencingPolicy(FencingPolicy.waitForConfirmation())),
                kept(
                        "sharedWith",
                        spec -> spec.sharedWith(List.of(Namespace.of("team-a"))),
                        spec -> spec.sharedWith(List.of(Namespace.of("team-b")))));
    }

    private static Volume made(VolumeSpec spec, VolumePhase phase) {
        return volume(spec).toBuilder()
                .origin(VolumeOrigin.CREATED)
                .phase(phase)
                .build();
    }

    @ParameterizedTest
    @MethodSource("fields")
    void repeatedCreationHasTheSameFieldsOrLeavesThemOut(Field field) {
        VolumeSpec with = field.known().apply(spec()).build();
        VolumeSpec other = field.other().apply(spec()).build();
        Volume known = made(with, VolumePhase.AVAILABLE);
        assertThat(VolumeMerge.repeat(known, with)).isEmpty();
        assertThat(VolumeMerge.repeat(known, spec().build())).isEmpty();
        assertThat(VolumeMerge.repeat(known, other)).singleElement().satisfies(problem -> {
            assertThat(problem.field()).isEqualTo(field.name());
            assertThat(problem.remedy()).doesNotContain("wait until the volume is created");
        });
        assertThat(VolumeMerge.repeat(made(spec().build(), VolumePhase.AVAILABLE), with))
                .extracting(Problem::field)
                .containsExactly(field.name());
    }

    @ParameterizedTest
    @MethodSource("fields")
    void fieldsOfTheCallCannotChangeWhileTheVolumeIsCreated(Field field) {
        VolumeSpec with = field.known().apply(spec()).build();
        VolumeSpec other = field.other().apply(spec()).build();
        Volume creating = made(with, VolumePhase.CREATING);
        assertThat(conflicts(creating, with)).isEmpty();
        assertThat(conflicts(creating, spec().build())).isEmpty();
        assertThat(conflicts(creating, other)).isEqualTo(field.isSent() ? List.of(field.name()) : List.of());
        boolean immutable = List.of("parameters", "contentSource").contains(field.name());
        assertThat(conflicts(made(with, VolumePhase.AVAILABLE), other))
                .isEqualTo(immutable ? List.of(field.name()) : List.of());
        if (field.isSent() && !immutable) {
            assertThat(VolumeMerge.of(creating, other).conflicts())
                    .singleElement()
                    .satisfies(problem ->
                            assertThat(problem.remedy()).contains("wait until the volume is created, then "));
        }
    }

    @Test
    void capabilitiesMayComeInAnotherOrder() {
        Volume creating = made(spec().build(), VolumePhase.CREATING);
        VolumeSpec reversed =
                spec().requestedCapabilities(List.of(READER, WRITER)).build();
        VolumeSpec fewer = spec().requestedCapabilities(List.of(WRITER)).build();
        assertThat(conflicts(creating, reversed)).isEmpty();
        assertThat(VolumeMerge.repeat(creating, reversed)).isEmpty();
        assertThat(conflicts(creating, fewer)).containsExactly("requestedCapabilities");
        assertThat(VolumeMerge.repeat(creating, fewer))
                .extracting(Problem::field)
                .containsExactly("requestedCapabilities");
        Volume inUse = claimed(spec().build()).toBuilder()
                .origin(VolumeOrigin.CREATED)
                .phase(VolumePhase.CREATING)
                .build();
        assertThat(conflicts(inUse, fewer)).as("each field once").containsExactly("requestedCapabilities");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, 0, false",
        "0, 0, 100, false",
        "100, 100, 0, true",
        "100, 101, 0, false",
        "100, 1, 100, true",
        "100, 1, 99, false",
        "100, 1, 101, true"
    })
    void repeatedCreationMayHaveAnotherRangeThatContainsTheSize(long size, long required, long limit, boolean same) {
        Volume sized = made(spec().capacityRange(CapacityRange.atLeast(50)).build(), VolumePhase.AVAILABLE).toBuilder()
                .facts(ProviderFacts.builder().capacityBytes(size).build())
                .build();
        VolumeSpec declared =
                spec().capacityRange(new CapacityRange(required, limit)).build();
        assertThat(VolumeMerge.repeat(sized, declared).isEmpty()).isEqualTo(same);
    }

    @Test
    void contextOfACreatedVolumeIsTheOneOfItsProvider() {
        VolumeContext declared = VolumeContext.of(Map.of("a", "declared"));
        VolumeContext given = VolumeContext.of(Map.of("a", "given"));
        VolumeSpec with = spec().volumeContext(declared).build();
        Volume created = made(with, VolumePhase.AVAILABLE).toBuilder()
                .facts(ProviderFacts.builder().volumeContext(given).build())
                .build();
        VolumeSpec other =
                spec().volumeContext(VolumeContext.of(Map.of("a", "other"))).build();
        for (VolumeSpec same : List.of(with, spec().volumeContext(given).build(), spec().build())) {
            assertThat(conflicts(created, same)).isEmpty();
            assertThat(VolumeMerge.repeat(created, same)).isEmpty();
        }
        assertThat(conflicts(created, other)).containsExactly("volumeContext");
        assertThat(VolumeMerge.repeat(created, other))
                .extracting(Problem::field)
                .containsExactly("volumeContext");
        assertThat(conflicts(volume(with), other)).as("a registered volume").isEmpty();
    }

    @Test
    void allDifferencesOfARepeatedCreationAreNamed() {
        VolumeSpec.Builder known = spec();
        VolumeSpec.Builder other = spec();
        for (Field field : fields().toList()) {
            known = field.known().apply(known);
            other = field.other().apply(other);
        }
        assertThat(VolumeMerge.repeat(made(known.build(), VolumePhase.AVAILABLE), other.build()))
                .extracting(Problem::field)
                .containsExactly(fields().map(Field::name).toArray(String[]::new));
    }

    @Test
    void repeatedCreationNamesAnotherPluginOrName() {
        Volume made = made(spec().name("data").build(), VolumePhase.AVAILABLE);
        VolumeSpec declared = VolumeSpec.builder(PluginId.of("q"))
                .name("other")
                .requestedCapabilities(List.of(WRITER, READER))
                .build();
        assertThat(VolumeMerge.repeat(made, declared))
                .extracting(Problem::field)
                .containsExactly("pluginId", "name");
    }

    @ParameterizedTest
    @CsvSource({"REGISTERED, a volume that was registered", "INLINE, an inline volume"})
    void volumeThatWasNotCreatedIsNoneOfARepeatedCreation(VolumeOrigin origin, String made) {
        Volume volume = volume(spec().build()).toBuilder().origin(origin).build();
        assertThat(VolumeMerge.repeat(volume, spec().build()))
                .containsExactly(new Problem("id", "is that of " + made, "create it under another id"));
    }

    private static Volume after(Volume volume, CapacityRange range) {
        return volume.toBuilder()
                .spec(merged(volume, spec().capacityRange(range).build()))
                .build();
    }
}
