package io.csi4j.core.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** R16 to R25, at their boundaries, through the requests that have them. */
class RequestCheckTest {
    private static final ExternalVolumeId VOLUME = ExternalVolumeId.of("vol-1");
    private static final VolumeCapability BLOCK = VolumeCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final String CANARY = "canary-4711";

    @Test
    void nameOver128BytesIsRejected() {
        assertThat(problemsOf(create("x".repeat(128)))).isEmpty();
        assertThat(problemsOf(create("x".repeat(129))))
                .containsExactly("name is 129 bytes long (shorten it to 128 bytes of UTF-8 (R16))");
        assertThat(problemsOf(create("é".repeat(64)))).isEmpty();
        assertThat(problemsOf(create("é".repeat(64) + "x")))
                .singleElement()
                .asString()
                .startsWith("name is 129 bytes long");
        assertThat(problemsOf(create("\uD83D\uDCBE".repeat(32)))).isEmpty();
        assertThat(problemsOf(create("\uD83D\uDCBE".repeat(33))))
                .singleElement()
                .asString()
                .startsWith("name is 132 bytes long");
    }

    @Test
    void nameWithForbiddenCharacterIsRejected() {
        for (int point = 0; point <= 0x2FF; point++) {
            boolean control = point <= 0x08
                    || point == 0x0B
                    || point == 0x0C
                    || (point >= 0x0E && point <= 0x1F)
                    || (point >= 0x7F && point <= 0x9F);
            List<String> problems = problemsOf(create("a" + Character.toString(point) + "b"));
            if (control) {
                assertThat(problems)
                        .as("U+%04X", point)
                        .containsExactly("name holds control characters (leave them out (R21))");
            } else {
                assertThat(problems).as("U+%04X", point).isEmpty();
            }
        }
    }

    @Test
    void nameWithUnpairedSurrogateIsRejected() {
        assertThat(problemsOf(create("disk \uD83D\uDCBE"))).isEmpty();
        assertThat(problemsOf(create("disk \uD83D"))).singleElement().asString().contains("half a character");
        assertThat(problemsOf(create("\uDCBE disk"))).singleElement().asString().contains("half a character");
    }

    @Test
    void emptyNameIsRejected() {
        assertThat(problemsOf(create(""))).singleElement().asString().startsWith("name is empty");
        assertThat(problemsOf(() -> CreateSnapshotRequest.builder(VOLUME, "").build()))
                .singleElement()
                .asString()
                .startsWith("name is empty");
        assertThat(problemsOf(() -> CreateVolumeGroupSnapshotRequest.builder("", List.of(VOLUME))
                        .build()))
                .singleElement()
                .asString()
                .startsWith("name is empty");
    }

    @Test
    void mapOver4096BytesIsRejected() {
        // Keys and values, in bytes of UTF-8.
        Map<String, String> fits = Map.of("k1", "é".repeat(1000), "k2", "x".repeat(4096 - 4 - 2000));
        Map<String, String> oneMore = Map.of("k1", "é".repeat(1000), "k2", "x".repeat(4096 - 4 - 2000 + 1));

        assertThat(problemsOf(
                        () -> volume().parameters(fits).mutableParameters(fits).build()))
                .isEmpty();
        assertThat(problemsOf(() ->
                        volume().parameters(oneMore).mutableParameters(oneMore).build()))
                .containsExactly(
                        "parameters holds 4097 bytes in total (keep it within 4096 bytes (R16))",
                        "mutableParameters holds 4097 bytes in total (keep it within 4096 bytes (R16))");
        assertThat(problemsOf(() -> volume().secrets(Secrets.of(fits)).build())).isEmpty();
        assertThat(problemsOf(() -> volume().secrets(Secrets.of(oneMore)).build()))
                .containsExactly("secrets holds 4097 bytes in total (keep it within 4096 bytes (R16))");
    }

    @Test
    void tooLongMountOptionsAreRejected() {
        assertThat(problemsOf(() -> publish(mount("x".repeat(128), "y".repeat(4000), "z".repeat(96)))))
                .isEmpty();
        assertThat(problemsOf(() -> publish(mount("x".repeat(129), "y".repeat(4000), "z".repeat(97)))))
                .containsExactly(
                        "volumeCapability.mountVolume.fsType is 129 bytes long (shorten it to 128 bytes of UTF-8"
                                + " (R16))",
                        "volumeCapability.mountVolume.mountFlags hold 4097 bytes in total (keep them within 4096"
                                + " bytes (R18))");
        assertThat(problemsOf(() -> publish(VolumeCapability.mount(
                        VolumeAccessMode.SINGLE_NODE_WRITER,
                        MountVolume.builder().volumeMountGroup("g".repeat(129)).build()))))
                .singleElement()
                .asString()
                .startsWith("volumeCapability.mountVolume.volumeMountGroup is 129 bytes long");
    }

    @Test
    void invalidKeyOfSecretIsRejected() {
        for (char c = 0; c < 0x180; c++) {
            boolean plain = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '-'
                    || c == '_'
                    || c == '.';
            Secrets secrets = Secrets.of(Map.of("k" + c, "v"));
            assertThat(problemsOf(() ->
                            DeleteVolumeRequest.builder(VOLUME).secrets(secrets).build()))
                    .as("U+%04X", (int) c)
                    .hasSize(plain ? 0 : 1);
        }
        assertThat(problemsOf(() -> DeleteVolumeRequest.builder(VOLUME)
                        .secrets(Secrets.of(Map.of("", "v")))
                        .build()))
                .hasSize(1);
    }

    @Test
    void allProblemsAreReportedTogetherWithoutFieldValues() {
        Map<String, String> odd = new LinkedHashMap<>();
        odd.put("key " + CANARY, CANARY);
        odd.put("big", CANARY + "x".repeat(5000));
        CreateVolumeRequest.Builder request = CreateVolumeRequest.builder("\u0001", List.of())
                .parameters(Map.of("p", CANARY + "x".repeat(5000)))
                .secrets(Secrets.of(odd))
                .accessibilityRequirements(new TopologyRequirement(List.of(), List.of()));

        assertThatThrownBy(request::build)
                .isInstanceOfSatisfying(CsiRequestException.class, refused -> {
                    assertThat(refused.problems())
                            .extracting(Problem::field)
                            .containsExactly(
                                    "name",
                                    "volumeCapabilities",
                                    "parameters",
                                    "secrets",
                                    "secrets",
                                    "accessibilityRequirements");
                    assertThat(refused.retryable()).isFalse();
                    for (Problem problem : refused.problems()) {
                        assertThat(refused).hasMessageContaining(problem.toString());
                        assertThat(problem.remedy()).isNotBlank();
                    }
                })
                .hasMessageStartingWith("CreateVolumeRequest was refused, nothing was sent: ")
                .hasMessageNotContaining(CANARY);
    }

    @Test
    void expandRequestReportsEachProblem() {
        assertThat(problemsOf(() -> ControllerExpandVolumeRequest.builder(VOLUME, CapacityRange.atLeast(1))
                        .build()))
                .isEmpty();
        assertThat(problemsOf(() ->
                        NodeExpandVolumeRequest.builder(VOLUME, "/run/vol").build()))
                .isEmpty();
        List<String> wrong = new ArrayList<>();
        for (Supplier<Object> request : List.<Supplier<Object>>of(
                () -> ControllerExpandVolumeRequest.builder(ExternalVolumeId.of(""), CapacityRange.atLeast(1)),
                () -> ControllerExpandVolumeRequest.builder(VOLUME, CapacityRange.between(0, 0)),
                () -> ControllerExpandVolumeRequest.builder(VOLUME, CapacityRange.between(2, 1)))) {
            assertThatThrownBy(request::get)
                    .isInstanceOfSatisfying(IllegalArgumentException.class, refused -> wrong.add(refused.getMessage()));
        }
        assertThat(wrong).doesNotHaveDuplicates().hasSize(3);
    }

    @Test
    void missingOrUnknownCapabilitiesAreRejected() {
        assertThat(problemsOf(() -> ValidateVolumeCapabilitiesRequest.builder(VOLUME, List.of())
                        .build()))
                .containsExactly("volumeCapabilities is empty (give at least one (R22))");
        assertThat(problemsOf(() -> ValidateVolumeCapabilitiesRequest.builder(
                                VOLUME, List.of(BLOCK, VolumeCapability.block(VolumeAccessMode.UNKNOWN)))
                        .build()))
                .containsExactly("volumeCapabilities[1].accessMode is UNKNOWN (choose one of the seven access modes)");
        // To ask for the room of any kind of volume, none is named.
        assertThat(problemsOf(() -> GetCapacityRequest.builder().build())).isEmpty();
        assertThat(problemsOf(() -> ControllerExpandVolumeRequest.builder(VOLUME, CapacityRange.atLeast(1))
                        .volumeCapability(VolumeCapability.block(VolumeAccessMode.UNKNOWN))
                        .build()))
                .hasSize(1);
    }

    @Test
    void emptyListInRequiredFieldIsRejected() {
        assertThat(problemsOf(() ->
                        CreateVolumeGroupSnapshotRequest.builder("g", List.of()).build()))
                .containsExactly("sourceVolumeIds is empty (give at least one (R22))");
        assertThat(problemsOf(() ->
                        ControllerModifyVolumeRequest.builder(VOLUME, Map.of()).build()))
                .containsExactly("mutableParameters is empty (give at least one (R22))");
        GroupSnapshotId group = GroupSnapshotId.of("group-1");
        assertThat(problemsOf(() -> DeleteVolumeGroupSnapshotRequest.builder(group, List.of())
                        .build()))
                .containsExactly("snapshotIds is empty (give at least one (R22))");
        assertThat(problemsOf(() ->
                        GetVolumeGroupSnapshotRequest.builder(group, List.of()).build()))
                .containsExactly("snapshotIds is empty (give at least one (R22))");
    }

    @Test
    void negativeNumbersAreRejected() {
        assertThat(problemsOf(() -> ListVolumesRequest.builder().maxEntries(-1).build()))
                .containsExactly("maxEntries is -1 (use 0 or more (R23))");
        assertThat(problemsOf(() -> ListVolumesRequest.builder().maxEntries(0).build()))
                .isEmpty();
        assertThat(problemsOf(
                        () -> ListSnapshotsRequest.builder().maxEntries(-1).build()))
                .hasSize(1);
        assertThat(problemsOf(() -> ControllerListVolumeHealthRequest.builder()
                        .maxEntries(-1)
                        .build()))
                .hasSize(1);
        assertThat(problemsOf(() -> GetMetadataAllocatedRequest.builder(SnapshotId.of("s"))
                        .startingOffset(-1)
                        .maxResults(-2)
                        .build()))
                .containsExactly(
                        "startingOffset is -1 (use 0 or more (R23))", "maxResults is -2 (use 0 or more (R23))");
        assertThat(problemsOf(() -> GetMetadataDeltaRequest.builder(SnapshotId.of("s"), SnapshotId.of("t"))
                        .startingOffset(-1)
                        .maxResults(-2)
                        .build()))
                .hasSize(2);
    }

    @Test
    void relativePathsAreRejected() {
        assertThat(problemsOf(() ->
                        NodeUnpublishVolumeRequest.builder(VOLUME, "/run/vol").build()))
                .isEmpty();
        assertThat(problemsOf(() ->
                        NodeUnpublishVolumeRequest.builder(VOLUME, "run/vol").build()))
                .containsExactly("targetPath is not absolute (give the absolute path on the plugin's node)");
        assertThat(problemsOf(
                        () -> NodeUnpublishVolumeRequest.builder(VOLUME, "").build()))
                .containsExactly("targetPath is empty (give the absolute path on the plugin's node)");
        assertThat(problemsOf(
                        () -> NodeUnstageVolumeRequest.builder(VOLUME, "/a\0b").build()))
                .singleElement()
                .asString()
                .startsWith("stagingTargetPath holds a NUL character");
        assertThat(problemsOf(() -> NodeGetVolumeStatsRequest.builder(VOLUME, "a")
                        .stagingTargetPath("b")
                        .build()))
                .hasSize(2);
        assertThat(problemsOf(() -> NodeGetVolumeHealthRequest.builder(VOLUME)
                        .volumePublishPath("a")
                        .stagingTargetPath("b")
                        .build()))
                .hasSize(2);
        assertThat(problemsOf(() -> NodeExpandVolumeRequest.builder(VOLUME, "a")
                        .stagingTargetPath("b")
                        .build()))
                .hasSize(2);
    }

    @Test
    void invalidTopologyKeysAreRejected() {
        String longest = "p".repeat(63) + "/" + "N".repeat(63);
        assertThat(problemsOf(requiring(new Topology(Map.of(longest, "v".repeat(63))))))
                .isEmpty();
        assertThat(problemsOf(requiring(new Topology(Map.of("topology.example.com/my_Zone-1.a", "Z_1-a.b")))))
                .isEmpty();
        for (String key : List.of(
                "",
                "/n",
                "p/",
                "a/b/c",
                "zone[0]",
                "-zone",
                "zone.",
                "Example.com/zone",
                "under_score/zone",
                ".example/zone",
                "p".repeat(64) + "/n",
                "p/" + "n".repeat(64))) {
            assertThat(problemsOf(requiring(new Topology(Map.of(key, "v")))))
                    .as(key)
                    .containsExactly(
                            "accessibilityRequirements.requisite[0] has the key '" + key + "' (a key is a name,"
                                    + " or prefix/name with a lower-case domain as prefix, of 1 to 63 characters each (R24))");
        }
        assertThat(problemsOf(requiring(new Topology(Map.of("k\u001b\u00e4" + "x".repeat(200), "v")))))
                .singleElement()
                .asString()
                .contains("has the key 'k??" + "x".repeat(123) + "...'");
    }

    @Test
    void invalidTopologyValuesAreRejected() {
        for (String value : List.of("", "v".repeat(64), "z 1", "-z", "z_", "z/1", "\u00e4")) {
            assertThat(problemsOf(requiring(new Topology(Map.of("zone", value)))))
                    .as(value)
                    .containsExactly("accessibilityRequirements.requisite[0] has a value under 'zone' that is none (a"
                            + " value has 1 to 63 letters, digits, - _ . and begins and ends with a letter or digit"
                            + " (R24))");
        }
    }

    @Test
    void everyTopologyOfRequestIsChecked() {
        Map<String, String> twice = new LinkedHashMap<>();
        twice.put("Zone", "1");
        twice.put("zone", "1");
        assertThat(problemsOf(requiring(new Topology(twice))))
                .containsExactly("accessibilityRequirements.requisite[0] has the key 'zone' twice but for its case"
                        + " (keep one (R24))");
        assertThat(problemsOf(requiring(new Topology(Map.of()))))
                .containsExactly("accessibilityRequirements.requisite[0] has no segments (give at least one key with"
                        + " its value, or leave the topology out (R24))");
        assertThat(problemsOf(requiring(new TopologyRequirement(
                        List.of(), List.of(new Topology(Map.of("zone", "1")), new Topology(Map.of("[0]", "1")))))))
                .singleElement()
                .asString()
                .startsWith("accessibilityRequirements.preferred[1] has the key '[0]'");
        assertThat(problemsOf(() -> GetCapacityRequest.builder()
                        .accessibleTopology(new Topology(Map.of("", "v")))
                        .build()))
                .singleElement()
                .asString()
                .startsWith("accessibleTopology has the key ''");
        assertThat(problemsOf(() -> CreateSnapshotRequest.builder(VOLUME, "s")
                        .accessibilityRequirements(TopologyRequirement.requisite(new Topology(Map.of("zone", ""))))
                        .build()))
                .singleElement()
                .asString()
                .startsWith("accessibilityRequirements.requisite[0] has a value under 'zone'");
    }

    /** There are plugins with two, and what they told of their nodes has to be good for a request. */
    @Test
    void topologyKeysWithSeveralPrefixesAreAccepted() {
        assertThat(problemsOf(requiring(
                        new Topology(Map.of("topology.example.com/zone", "z1", "node.example.org/os", "linux")))))
                .isEmpty();
    }

    @Test
    void preferredTopologyThatIsNotRequisiteIsRejected() {
        Topology here = new Topology(Map.of("zone", "1"));
        Topology there = new Topology(Map.of("zone", "2"));
        assertThat(problemsOf(requiring(new TopologyRequirement(List.of(here, there), List.of(there)))))
                .isEmpty();
        assertThat(problemsOf(requiring(new TopologyRequirement(List.of(), List.of(there)))))
                .isEmpty();
        assertThat(problemsOf(requiring(new TopologyRequirement(List.of(here), List.of(here, there)))))
                .singleElement()
                .asString()
                .startsWith("accessibilityRequirements.preferred names topologies that are not requisite");
        assertThat(problemsOf(() -> CreateSnapshotRequest.builder(VOLUME, "s")
                        .accessibilityRequirements(new TopologyRequirement(List.of(), List.of()))
                        .build()))
                .singleElement()
                .asString()
                .startsWith("accessibilityRequirements names no topology");
    }

    private static Runnable create(String name) {
        return () -> CreateVolumeRequest.builder(name, List.of(BLOCK)).build();
    }

    private static CreateVolumeRequest.Builder volume() {
        return CreateVolumeRequest.builder("v", List.of(BLOCK));
    }

    private static Runnable requiring(Topology topology) {
        return requiring(TopologyRequirement.requisite(topology));
    }

    private static Runnable requiring(TopologyRequirement requirement) {
        return () -> volume().accessibilityRequirements(requirement).build();
    }

    private static VolumeCapability mount(String fsType, String... flags) {
        return VolumeCapability.mount(
                VolumeAccessMode.SINGLE_NODE_WRITER,
                MountVolume.builder()
                        .fsType(fsType)
                        .mountFlags(MountFlags.of(flags))
                        .build());
    }

    private static NodePublishVolumeRequest publish(VolumeCapability capability) {
        return NodePublishVolumeRequest.builder(VOLUME, "/target", capability).build();
    }

    private static List<String> problemsOf(Runnable build) {
        try {
            build.run();
            return List.of();
        } catch (CsiRequestException refused) {
            assertThat(refused.problems()).isNotEmpty();
            return refused.problems().stream().map(Problem::toString).toList();
        }
    }
}
