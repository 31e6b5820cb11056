package io.csi4j.core.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.PluginId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class VolumeSpecTest {
    private static final PluginId PLUGIN = PluginId.of("p");
    private static final List<RequestedCapability> MOUNT =
            List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER));

    private static VolumeSpec.Builder good() {
        return VolumeSpec.builder(PLUGIN).requestedCapabilities(MOUNT);
    }

    @Test
    void oneErrorMessageListsAllProblemsInOrder() {
        VolumeSpec.Builder bad = VolumeSpec.builder(PLUGIN)
                .name("n\u0001" + "x".repeat(128))
                .requestedCapabilities(List.of(RequestedCapability.block(VolumeAccessMode.UNKNOWN)))
                .mountOptions(new MountOptions("f".repeat(129), MountFlags.of("x".repeat(4097)), "g".repeat(129)))
                .secrets(Secrets.of(Map.of("bad key", "hunter2-" + "s".repeat(5000))))
                .parameters(Map.of("k", "x".repeat(4096)))
                .mutableParameters(Map.of("k", "x".repeat(4096)))
                .volumeContext(VolumeContext.of(Map.of("k", "x".repeat(4096))))
                .accessibilityRequirements(new TopologyRequirement(
                        List.of(new Topology(Map.of()), new Topology(Map.of("UPPER/zone", "z"))),
                        List.of(new Topology(Map.of("zone", "-z")))));

        CsiRequestException refused = catchThrowableOfType(CsiRequestException.class, bad::build);

        assertThat(refused.problems())
                .extracting(Problem::field)
                .containsExactly(
                        "name",
                        "name",
                        "requestedCapabilities[0].accessMode",
                        "mountOptions.fsType",
                        "mountOptions.volumeMountGroup",
                        "mountOptions.mountFlags",
                        "mountOptions",
                        "secrets",
                        "secrets",
                        "parameters",
                        "mutableParameters",
                        "volumeContext",
                        "accessibilityRequirements.preferred",
                        "accessibilityRequirements.requisite[0]",
                        "accessibilityRequirements.requisite[1]",
                        "accessibilityRequirements.preferred[0]");
        assertThat(refused).hasMessageContaining("; ").hasMessageNotContaining("hunter2");
        refused.problems().forEach(problem -> assertThat(problem.remedy()).isNotBlank());
    }

    @Test
    void specificationWithoutCapabilityIsRejected() {
        CsiRequestException refused = catchThrowableOfType(
                CsiRequestException.class, () -> VolumeSpec.builder(PLUGIN).build());
        assertThat(refused.problems()).extracting(Problem::field).containsExactly("requestedCapabilities");
    }

    @Test
    void everyInvalidTopologyIsReported() {
        Map<String, String> twice = new LinkedHashMap<>();
        twice.put("Zone", "a");
        twice.put("zone", "b");
        VolumeSpec spec = good().accessibilityRequirements(TopologyRequirement.requisite(
                        Topology.of("example.com/zone", "z1"),
                        new Topology(twice),
                        new Topology(Map.of("example.com/", "z")),
                        new Topology(Map.of("a".repeat(64), "z")),
                        new Topology(Map.of("zone", "")),
                        new Topology(Map.of("zone", "z".repeat(64))),
                        new Topology(Map.of("a/b/c", "z"))))
                .restore();
        assertThat(spec.problems())
                .extracting(Problem::field)
                .containsExactly(
                        "accessibilityRequirements.requisite[1]",
                        "accessibilityRequirements.requisite[2]",
                        "accessibilityRequirements.requisite[3]",
                        "accessibilityRequirements.requisite[4]",
                        "accessibilityRequirements.requisite[5]",
                        "accessibilityRequirements.requisite[6]");
    }

    @Test
    void labelOfAVolumeIsRefusedBecauseItBelongsToTheWorkload() {
        VolumeSpec.Builder labelled =
                good().mountOptions(MountOptions.of("ext4").withLabel(new SecurityLabel("u:r:t:s0")));
        assertThatThrownBy(labelled::build)
                .isInstanceOf(CsiRequestException.class)
                .hasMessageContaining("mountOptions.securityLabel")
                .hasMessageContaining("name it in the mount options of each claim");
    }

    @Test
    void longestAllowedValuesAreAccepted() {
        VolumeSpec spec = good().name("ü".repeat(64))
                .mountOptions(new MountOptions("f".repeat(128), MountFlags.of("x".repeat(4096)), "g"))
                .secrets(Secrets.of(Map.of("a.b-c_D", "s".repeat(4089))))
                .parameters(Map.of("k", "x".repeat(4095)))
                .accessibilityRequirements(TopologyRequirement.requisite(
                        Topology.of("a".repeat(63) + "/" + "B".repeat(63), "c".repeat(63))))
                .build();
        assertThat(spec.problems()).isEmpty();
    }

    @Test
    void missingAndEmptyFieldsAreEqual() {
        assertThat(good().mountOptions(MountOptions.of("")).build()).isEqualTo(good().build());
        assertThat(good().secrets(Secrets.of(Map.of())).build()).isEqualTo(good().build());
    }

    @Test
    void builderCopiesCollections() {
        Map<String, String> parameters = new LinkedHashMap<>(Map.of("k", "v"));
        VolumeSpec spec = good().parameters(parameters).build();
        VolumeSpec same = good().parameters(Map.of("k", "v")).build();
        parameters.put("k", "changed");
        assertThat(spec).isEqualTo(same);
        assertThat(spec.parameters()).containsExactly(Map.entry("k", "v"));
    }

    @Test
    void toBuilderKeepsEverySpecificationField() {
        VolumeSpec full = good().name("data")
                .externalVolumeId(ExternalVolumeId.of("ext"))
                .mountOptions(MountOptions.of("ext4", "noatime"))
                .secrets(Secrets.of(Map.of("a", "b")))
                .parameters(Map.of("a", "b"))
                .mutableParameters(Map.of("c", "d"))
                .volumeContext(VolumeContext.of(Map.of("e", "f")))
                .capacityRange(CapacityRange.between(1, 2))
                .contentSource(VolumeContentSource.volume(ExternalVolumeId.of("src")))
                .accessibilityRequirements(TopologyRequirement.requisite(Topology.of("zone", "z")))
                .fencingPolicy(FencingPolicy.afterGrace(Duration.ofMinutes(5)))
                .build();
        assertThat(full.toBuilder().build()).isEqualTo(full).hasSameHashCodeAs(full);
        // Every single change makes another value: no field is forgotten by equals.
        List<VolumeSpec> others = List.of(
                full.toBuilder().name("x").build(),
                full.toBuilder().externalVolumeId(null).build(),
                full.toBuilder()
                        .requestedCapabilities(
                                List.of(RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER)))
                        .build(),
                full.toBuilder().mountOptions(MountOptions.of("ext4", "atime")).build(),
                full.toBuilder().secrets(Secrets.empty()).build(),
                full.toBuilder().parameters(Map.of()).build(),
                full.toBuilder().mutableParameters(Map.of()).build(),
                full.toBuilder().volumeContext(VolumeContext.empty()).build(),
                full.toBuilder().capacityRange(null).build(),
                full.toBuilder().contentSource(null).build(),
                full.toBuilder().accessibilityRequirements(null).build(),
                full.toBuilder().fencingPolicy(FencingPolicy.onFence()).build());
        assertThat(others).doesNotContain(full).doesNotHaveDuplicates();
    }

    @Test
    void undeclaredFencingPolicyIsLeftToTheOptions() {
        assertThat(good().build().declaredFencingPolicy()).isEmpty();
    }

    @Test
    void mountOptionsOfRequestOverrideThoseOfSpecification() {
        MountOptions volume = new MountOptions("ext4", MountFlags.of("noatime"), "100");
        assertThat(volume.overriddenBy(MountOptions.none())).isSameAs(volume);
        assertThat(volume.overriddenBy(MountOptions.of("xfs")))
                .isEqualTo(new MountOptions("xfs", MountFlags.of("noatime"), "100"));
        assertThat(volume.overriddenBy(MountOptions.of("", "ro")))
                .isEqualTo(new MountOptions("ext4", MountFlags.of("ro"), "100"));
        OwnershipOptions always = new OwnershipOptions(GroupChangePolicy.ALWAYS, OptionalLong.of(0));
        MountOptions owned = new MountOptions("", MountFlags.empty(), "", always);
        assertThat(owned.isEmpty()).isFalse();
        assertThat(volume.overriddenBy(owned).ownership()).isEqualTo(always);
        assertThat(owned.overriddenBy(volume).ownership()).isEqualTo(always);
        assertThat(owned.withoutFlags()).isEqualTo(owned);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OwnershipOptions(GroupChangePolicy.ALWAYS, OptionalLong.of(0xffff_ffffL)))
                .withMessageContaining("rootOwner is 4294967295");
        assertThat(volume.overriddenBy(new MountOptions("", MountFlags.empty(), "7"))
                        .volumeMountGroup())
                .isEqualTo("7");
        assertThat(volume.toMountVolume().mountFlags().asList()).containsExactly("noatime");
    }
}
