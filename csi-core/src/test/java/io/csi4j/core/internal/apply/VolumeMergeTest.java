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
import org.junit.jupiter.api.Test;

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

    private static Volume after(Volume volume, CapacityRange range) {
        return volume.toBuilder()
                .spec(merged(volume, spec().capacityRange(range).build()))
                .build();
    }
}
