package io.csi4j.testkit;

import static io.csi4j.testkit.PluginClient.refused;
import static io.grpc.Status.Code.ABORTED;
import static io.grpc.Status.Code.ALREADY_EXISTS;
import static io.grpc.Status.Code.FAILED_PRECONDITION;
import static io.grpc.Status.Code.INVALID_ARGUMENT;
import static io.grpc.Status.Code.NOT_FOUND;
import static io.grpc.Status.Code.OUT_OF_RANGE;
import static io.grpc.Status.Code.RESOURCE_EXHAUSTED;
import static io.grpc.Status.Code.UNIMPLEMENTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerGetVolumeHealthRequest;
import io.csi4j.proto.csi.v1.ControllerListVolumeHealthRequest;
import io.csi4j.proto.csi.v1.ControllerModifyVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.DeleteSnapshotRequest;
import io.csi4j.proto.csi.v1.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.GetCapacityRequest;
import io.csi4j.proto.csi.v1.ListVolumesRequest;
import io.csi4j.proto.csi.v1.ListVolumesResponse;
import io.csi4j.proto.csi.v1.NodeExpandVolumeRequest;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesRequest;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.proto.csi.v1.VolumeGroupSnapshot;
import io.csi4j.testkit.capability.FakeCapability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a strict plugin refuses beyond what the public suite asks, and what it answers instead. */
class StrictnessTest {
    @TempDir
    Path directory;

    private final FakeStorage storage = FakeStorage.inMemory(1L << 30);
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Walk walk = start(FakeCsiPlugin.builder());

    private Walk start(FakeCsiPluginBuilder builder) {
        FakeCsiPlugin plugin = builder.storage(storage).build().startInProcess();
        PluginClient client = PluginClient.inProcess(plugin);
        open.add(client);
        open.add(plugin);
        return new Walk(client, plugin.nodeId());
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    private String staging() throws Exception {
        return Files.createDirectories(directory.resolve("staging")).toString();
    }

    // Order: R45-R49.

    @Test
    void callsInWrongOrderAreRefused() throws Exception {
        Volume volume = walk.create("v");
        String staging = staging();
        assertThat(refused(FAILED_PRECONDITION, () -> walk.stage(volume, Map.of(), staging)))
                .contains("ControllerPublishVolume comes first");
        Map<String, String> context = walk.attach(volume, false);
        assertThat(refused(FAILED_PRECONDITION, () -> walk.publish(volume, context, staging, path("t"), false)))
                .contains("NodeStageVolume comes first");
        walk.stage(volume, context, staging);
        walk.publish(volume, context, staging, path("t"), false);
        assertThat(refused(FAILED_PRECONDITION, () -> walk.unstage(volume.getVolumeId(), staging)))
                .contains(path("t"));
        walk.unpublish(volume.getVolumeId(), path("t"));
        assertThat(refused(FAILED_PRECONDITION, () -> walk.detach(volume.getVolumeId())))
                .contains(staging);
        walk.unstage(volume.getVolumeId(), staging);
        assertThat(refused(FAILED_PRECONDITION, () -> walk.delete(volume.getVolumeId())))
                .contains("node-1");
        walk.detach(volume.getVolumeId());
        walk.delete(volume.getVolumeId());
        // And all the ways back again, which find nothing to do; only the node cannot know an unknown volume.
        walk.delete(volume.getVolumeId());
        walk.detach(volume.getVolumeId());
        refused(NOT_FOUND, () -> walk.unstage(volume.getVolumeId(), staging));
        refused(NOT_FOUND, () -> walk.unpublish(volume.getVolumeId(), path("t")));
    }

    @Test
    void detachSucceedsAfterStagingNodeIsGone() throws Exception {
        Volume volume = walk.create("v");
        walk.stage(volume, walk.attach(volume, false), staging());
        refused(FAILED_PRECONDITION, () -> walk.detach(volume.getVolumeId()));
        storage.nodeIsGone("node-1");
        walk.detach(volume.getVolumeId());
        walk.delete(volume.getVolumeId());
    }

    // R89: what a second NodePublishVolume may ask for.

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"UNKNOWN", "UNRECOGNIZED"},
            mode = EnumSource.Mode.EXCLUDE)
    void repeatedNodePublishFollowsMatrixOfR89(Mode mode) throws Exception {
        walk.mode = mode;
        boolean manyPaths = mode == Mode.MULTI_NODE_MULTI_WRITER
                || mode == Mode.MULTI_NODE_SINGLE_WRITER
                || mode == Mode.MULTI_NODE_READER_ONLY
                || mode == Mode.SINGLE_NODE_MULTI_WRITER;
        Volume volume = walk.create("v");
        Map<String, String> context = walk.attach(volume, false);
        String staging = staging();
        walk.stage(volume, context, staging);
        NodePublishVolumeRequest.Builder request = walk.publishRequest(volume, context, staging, path("one"));
        walk.client.node().nodePublishVolume(request.build());
        // The same target: the same arguments are fine, whatever the secrets are, and others are not.
        walk.client.node().nodePublishVolume(request.clone().clearSecrets().build());
        refused(
                ALREADY_EXISTS,
                () -> walk.client
                        .node()
                        .nodePublishVolume(request.clone().setReadonly(true).build()));
        // Another target.
        for (boolean readonly : new boolean[] {false, true}) {
            NodePublishVolumeRequest other = request.clone()
                    .setTargetPath(path("other" + readonly))
                    .setReadonly(readonly)
                    .build();
            if (manyPaths) {
                walk.client.node().nodePublishVolume(other);
            } else {
                refused(FAILED_PRECONDITION, () -> walk.client.node().nodePublishVolume(other));
            }
        }
    }

    // R61, R64.

    @Test
    void singleNodeVolumeRefusesSecondNode() {
        Walk second = start(FakeCsiPlugin.builder().nodeId("node-2"));
        Volume volume = walk.create("v");
        walk.attach(volume, false);
        assertThat(refused(FAILED_PRECONDITION, () -> second.attach(volume, false)))
                .contains("'node-1'");
        walk.client
                .controller()
                .controllerUnpublishVolume(ControllerUnpublishVolumeRequest.newBuilder()
                        .setVolumeId(volume.getVolumeId())
                        .build());
        second.attach(volume, false);
        assertThat(storage.attachedNodes(volume.getVolumeId())).containsExactly("node-2");
    }

    @Test
    void multiNodeSingleWriterVolumeRefusesSecondWriter() throws Exception {
        Walk second = start(FakeCsiPlugin.builder().nodeId("node-2"));
        walk.mode = second.mode = Mode.MULTI_NODE_SINGLE_WRITER;
        Volume volume = walk.create("v");
        walk.attach(volume, false);
        assertThat(refused(FAILED_PRECONDITION, () -> second.attach(volume, false)))
                .contains("one writer on node 'node-1'");
        Map<String, String> context = second.attach(volume, true);
        second.stage(volume, context, staging());
        refused(FAILED_PRECONDITION, () -> second.publish(volume, context, staging(), path("t"), false));
        second.publish(volume, context, staging(), path("t"), true);
    }

    @Test
    void pluginWithoutAttachCapabilityEnforcesAccessModeOnNode() throws Exception {
        FakeCapability[] off = {FakeCapability.PUBLISH_UNPUBLISH_VOLUME, FakeCapability.STAGE_UNSTAGE_VOLUME};
        Walk one = start(FakeCsiPlugin.builder().nodeId("n1").without(off));
        Walk two = start(FakeCsiPlugin.builder().nodeId("n2").without(off));
        Volume single = one.create("single");
        one.publish(single, Map.of(), "", path("a"), false);
        assertThat(refused(FAILED_PRECONDITION, () -> two.publish(single, Map.of(), "", path("b"), true)))
                .contains("n1");
        one.mode = two.mode = Mode.MULTI_NODE_SINGLE_WRITER;
        Volume shared = one.create("shared");
        one.publish(shared, Map.of(), "", path("c"), false);
        refused(FAILED_PRECONDITION, () -> two.publish(shared, Map.of(), "", path("d"), false));
        two.publish(shared, Map.of(), "", path("d"), true);
    }

    @Test
    void volumeRefusesCapabilityThatItWasNotCreatedWith() throws Exception {
        Volume volume = walk.create("v");
        Walk greedy = new Walk(walk.client, walk.nodeId);
        greedy.mode = Mode.MULTI_NODE_MULTI_WRITER;
        refused(INVALID_ARGUMENT, () -> greedy.attach(volume, false));
        Map<String, String> context = walk.attach(volume, false);
        refused(FAILED_PRECONDITION, () -> greedy.stage(volume, context, staging()));
        greedy.mode = Mode.SINGLE_NODE_WRITER;
        greedy.block = true;
        refused(FAILED_PRECONDITION, () -> greedy.stage(volume, context, staging()));
        assertThat(walk.client
                        .controller()
                        .validateVolumeCapabilities(ValidateVolumeCapabilitiesRequest.newBuilder()
                                .setVolumeId(volume.getVolumeId())
                                .addVolumeCapabilities(walk.capability())
                                .addVolumeCapabilities(greedy.capability())
                                .build()))
                .satisfies(response -> {
                    assertThat(response.hasConfirmed()).isFalse();
                    assertThat(response.getMessage()).contains("not made for block");
                });
    }

    @Test
    void missingContextIsRefused() throws Exception {
        Volume volume = walk.create("v");
        Map<String, String> stale = walk.attach(volume, false);
        walk.detach(volume.getVolumeId());
        Map<String, String> context = walk.attach(volume, false);
        assertThat(context).isNotEqualTo(stale);
        String staging = staging();
        assertThat(refused(INVALID_ARGUMENT, () -> walk.stage(volume, stale, staging)))
                .contains("publish_context")
                .doesNotContain(stale.get("attachment"));
        assertThat(refused(
                        INVALID_ARGUMENT,
                        () -> walk.stage(volume.toBuilder().clearVolumeContext().build(), context, staging)))
                .contains("volume_context");
        walk.stage(volume, context, staging);
    }

    // R51-R58.

    @Test
    void createWithExistingNameIsRefusedIfRequestDoesNotFitExistingVolume() {
        CreateVolumeRequest.Builder request =
                walk.createRequest("v").putParameters("kind", "fast").putModifiableParameters("iops", "100");
        Volume volume = walk.client.controller().createVolume(request.build()).getVolume();
        // Secrets do not count, and a range that the volume is in is fine.
        assertThat(walk.client
                        .controller()
                        .createVolume(request.clone()
                                .clearSecrets()
                                .setCapacityRange(CapacityRange.newBuilder().setLimitBytes(walk.bytes * 2))
                                .build())
                        .getVolume())
                .isEqualTo(volume);
        Map<String, CreateVolumeRequest.Builder> different = Map.of(
                "capacity_range",
                request.clone().setCapacityRange(CapacityRange.newBuilder().setLimitBytes(1)),
                "parameters",
                request.clone().putParameters("kind", "slow"),
                "mutable_parameters",
                request.clone().putModifiableParameters("iops", "200"),
                "volume_capabilities",
                request.clone()
                        .setVolumeCapabilities(
                                0,
                                walk.capability().toBuilder()
                                        .setAccessMode(io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.newBuilder()
                                                .setMode(Mode.MULTI_NODE_MULTI_WRITER))),
                "volume_content_source",
                request.clone()
                        .setVolumeContentSource(io.csi4j.proto.csi.v1.VolumeContentSource.newBuilder()
                                .setVolume(io.csi4j.proto.csi.v1.VolumeContentSource.VolumeSource.newBuilder()
                                        .setVolumeId(volume.getVolumeId()))));
        different.forEach((field, one) -> assertThat(
                        refused(ALREADY_EXISTS, () -> walk.client.controller().createVolume(one.build())))
                .contains(field));
    }

    @Test
    void impossibleSizesAreRefused() {
        walk.bytes = 2L << 30;
        refused(OUT_OF_RANGE, () -> walk.create("larger than all"));
        walk.bytes = 900L << 20;
        Volume large = walk.create("large");
        refused(RESOURCE_EXHAUSTED, () -> walk.create("no room"));
        refused(RESOURCE_EXHAUSTED, () -> walk.snapshot("no room", large));
        refused(OUT_OF_RANGE, () -> expand(large, 1L << 40, 0));
        refused(OUT_OF_RANGE, () -> expand(large, 0, 1));
        assertThat(walk.client
                        .controller()
                        .getCapacity(GetCapacityRequest.getDefaultInstance())
                        .getAvailableCapacity())
                .isEqualTo((1L << 30) - walk.bytes);
        walk.delete(large.getVolumeId());
        walk.delete(walk.create("room again").getVolumeId());
    }

    private long expand(Volume volume, long required, long limit) {
        return walk.client
                .controller()
                .controllerExpandVolume(ControllerExpandVolumeRequest.newBuilder()
                        .setVolumeId(volume.getVolumeId())
                        .setCapacityRange(CapacityRange.newBuilder()
                                .setRequiredBytes(required)
                                .setLimitBytes(limit))
                        .build())
                .getCapacityBytes();
    }

    @Test
    void nodeExpansionBeforeControllerExpansionIsRefused() throws Exception {
        Volume volume = walk.create("v");
        Map<String, String> context = walk.attach(volume, false);
        walk.stage(volume, context, staging());
        NodeExpandVolumeRequest.Builder grow = NodeExpandVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setVolumePath(staging())
                .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(2 * walk.bytes));
        assertThat(refused(OUT_OF_RANGE, () -> walk.client.node().nodeExpandVolume(grow.build())))
                .contains("ControllerExpandVolume comes first");
        assertThat(expand(volume, 2 * walk.bytes, 0)).isEqualTo(2 * walk.bytes);
        assertThat(expand(volume, 2 * walk.bytes, 0)).isEqualTo(2 * walk.bytes);
        assertThat(walk.client.node().nodeExpandVolume(grow.build()).getCapacityBytes())
                .isEqualTo(2 * walk.bytes);
        refused(
                NOT_FOUND,
                () -> walk.client
                        .node()
                        .nodeExpandVolume(
                                grow.clone().setVolumePath(path("nowhere")).build()));
    }

    @Test
    void offlineExpansionOfUsedVolumeIsRefused() {
        Walk offline = start(FakeCsiPlugin.builder()
                .without(FakeCapability.ONLINE_EXPANSION)
                .with(FakeCapability.OFFLINE_EXPANSION));
        Volume volume = offline.create("v");
        offline.attach(volume, false);
        ControllerExpandVolumeRequest request = ControllerExpandVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(2 * walk.bytes))
                .build();
        refused(FAILED_PRECONDITION, () -> offline.client.controller().controllerExpandVolume(request));
        offline.detach(volume.getVolumeId());
        offline.client.controller().controllerExpandVolume(request);
    }

    @Test
    void modifyVolumeChangesAllParametersOrNone() {
        Volume volume = walk.create("v");
        ControllerModifyVolumeRequest.Builder request = ControllerModifyVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .putModifiableParameters("tier", "gold")
                .putModifiableParameters("iops", "none");
        refused(INVALID_ARGUMENT, () -> walk.client.controller().controllerModifyVolume(request.build()));
        ValidateVolumeCapabilitiesRequest gold = ValidateVolumeCapabilitiesRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .addVolumeCapabilities(walk.capability())
                .putModifiableParameters("tier", "gold")
                .build();
        assertThat(walk.client.controller().validateVolumeCapabilities(gold).hasConfirmed())
                .isFalse();
        walk.client
                .controller()
                .controllerModifyVolume(
                        request.removeModifiableParameters("iops").build());
        assertThat(walk.client.controller().validateVolumeCapabilities(gold).hasConfirmed())
                .isTrue();
    }

    // Topology: R42, R53.

    @Test
    void createdVolumeHasRequestedTopology() {
        Walk east = start(FakeCsiPlugin.builder().nodeId("east").topology(Map.of("t.io/zone", "east")));
        Walk west = start(FakeCsiPlugin.builder().nodeId("west").topology(Map.of("t.io/zone", "west")));
        Topology wanted = Topology.newBuilder().putSegments("t.io/zone", "west").build();
        Topology nowhere =
                Topology.newBuilder().putSegments("t.io/zone", "north").build();
        CreateVolumeRequest.Builder request = east.createRequest("v");
        request.getAccessibilityRequirementsBuilder()
                .addRequisite(nowhere)
                .addRequisite(wanted)
                .addPreferred(nowhere);
        Volume volume = east.client.controller().createVolume(request.build()).getVolume();
        assertThat(volume.getAccessibleTopologyList()).containsExactly(wanted);
        assertThat(refused(INVALID_ARGUMENT, () -> east.attach(volume, false)))
                .contains("not accessible from node 'east'");
        west.attach(volume, false);
        CreateVolumeRequest.Builder lost = east.createRequest("lost");
        lost.getAccessibilityRequirementsBuilder().addRequisite(nowhere);
        refused(RESOURCE_EXHAUSTED, () -> east.client.controller().createVolume(lost.build()));
        lost.getAccessibilityRequirementsBuilder().addPreferred(wanted);
        assertThat(refused(INVALID_ARGUMENT, () -> east.client.controller().createVolume(lost.build())))
                .contains("not among requisite");
        assertThat(east.client
                        .controller()
                        .getCapacity(GetCapacityRequest.newBuilder()
                                .setAccessibleTopology(nowhere)
                                .build())
                        .getAvailableCapacity())
                .isZero();
    }

    // Form: R16-R25. All problems at once, and no secret among them.

    @Test
    void problemsOfRequestAreReportedTogether() {
        CreateVolumeRequest.Builder request = CreateVolumeRequest.newBuilder()
                .setName("n".repeat(127) + "ä")
                .putSecrets("bad key", "canary-4711")
                .putParameters("p", "x".repeat(5000))
                .setCapacityRange(
                        CapacityRange.newBuilder().setRequiredBytes(-1).setLimitBytes(-2));
        request.addVolumeCapabilitiesBuilder().getMountBuilder().addMountFlags("f".repeat(5000));
        String text = refused(INVALID_ARGUMENT, () -> walk.client.controller().createVolume(request.build()));
        assertThat(text)
                .contains("name: has 129 bytes")
                .contains("secrets: has a key")
                .contains("parameters: holds 5001 bytes")
                .contains("capacity_range.required_bytes: is negative")
                .contains("capacity_range.limit_bytes: is negative")
                .contains("volume_capabilities[0].mount.mount_flags: hold 5000 bytes")
                .contains("volume_capabilities[0].access_mode")
                .doesNotContain("canary")
                .doesNotContain("fff");
    }

    @Test
    void namesWithControlCharactersAreRefused() {
        walk.delete(walk.create("tab\tline\nreturn\r, Ünïcode and 🙂").getVolumeId());
        assertThat(refused(INVALID_ARGUMENT, () -> walk.create("bell\u0007"))).contains("R21");
        assertThat(refused(INVALID_ARGUMENT, () -> walk.create("next\u0085"))).contains("R21");
    }

    @Test
    void relativeOrUnnormalizedPathsAreRefused() throws Exception {
        Volume volume = walk.create("v");
        Map<String, String> context = walk.attach(volume, false);
        for (String bad : List.of("relative", "/a/../b", "/", "/a/./b")) {
            refused(INVALID_ARGUMENT, () -> walk.stage(volume, context, bad));
        }
        assertThat(refused(INVALID_ARGUMENT, () -> walk.stage(volume, context, path("missing"))))
                .contains("the caller has to make it");
        walk.stage(volume, context, staging());
        assertThat(refused(INVALID_ARGUMENT, () -> walk.publish(volume, context, staging(), path("missing/t"), false)))
                .contains("the caller has to make it");
    }

    @Test
    void callThatNeedsMissingPluginCapabilityIsRefused() {
        Walk bare = start(FakeCsiPlugin.builder()
                .capabilities(List.of(
                        FakeCapability.CONTROLLER_SERVICE,
                        FakeCapability.CREATE_DELETE_VOLUME,
                        FakeCapability.PUBLISH_UNPUBLISH_VOLUME)));
        Volume volume = bare.create("v");
        refused(UNIMPLEMENTED, () -> bare.client.controller().listVolumes(ListVolumesRequest.getDefaultInstance()));
        refused(UNIMPLEMENTED, () -> bare.snapshot("s", volume));
        refused(UNIMPLEMENTED, () -> bare.stage(volume, Map.of(), path("s")));
        refused(INVALID_ARGUMENT, () -> bare.attach(volume, true));
        Map<String, String> context = bare.attach(volume, false);
        refused(INVALID_ARGUMENT, () -> bare.publish(volume, context, path("s"), path("t"), false));
        bare.publish(volume, context, "", path("t"), false);
        CreateVolumeRequest.Builder modes = bare.createRequest("modes");
        modes.getVolumeCapabilitiesBuilder(0).getAccessModeBuilder().setMode(Mode.SINGLE_NODE_MULTI_WRITER);
        modes.getVolumeCapabilitiesBuilder(0).getMountBuilder().setVolumeMountGroup("1000");
        modes.getAccessibilityRequirementsBuilder()
                .addRequisite(Topology.newBuilder().putSegments("zone", "a"));
        modes.putModifiableParameters("iops", "1");
        modes.getVolumeContentSourceBuilder().getVolumeBuilder().setVolumeId(volume.getVolumeId());
        assertThat(refused(INVALID_ARGUMENT, () -> bare.client.controller().createVolume(modes.build())))
                .contains("SINGLE_NODE_MULTI_WRITER")
                .contains("VOLUME_MOUNT_GROUP")
                .contains("VOLUME_ACCESSIBILITY_CONSTRAINTS")
                .contains("MODIFY_VOLUME")
                .contains("CLONE_VOLUME");
    }

    @Test
    void nodeOnlyPluginServesNoControllerCalls() {
        Walk node =
                start(FakeCsiPlugin.builder().nodeId("only").capabilities(List.of(FakeCapability.GET_VOLUME_STATS)));
        storage.provision("given", 1 << 20);
        refused(UNIMPLEMENTED, () -> node.create("v"));
        Volume given = Volume.newBuilder().setVolumeId("given").build();
        node.publish(given, Map.of(), "", path("t"), false);
        assertThat(storage.pathsInUse("given")).containsExactly(path("t"));
        assertThat(Path.of(path("t"))).isDirectory();
        node.unpublish("given", path("t"));
        assertThat(Path.of(path("t"))).doesNotExist();
    }

    // R26, R27.

    @Test
    void concurrentCallForVolumeIsAbortedAndCounted() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        FakeCsiPlugin plugin = FakeCsiPlugin.builder()
                .hook((rpc, key) -> {
                    if (rpc.equals("ControllerPublishVolume")) {
                        inside.countDown();
                        try {
                            goOn.await(30, TimeUnit.SECONDS);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                })
                .build()
                .startInProcess();
        open.add(plugin);
        try (PluginClient client = PluginClient.inProcess(plugin)) {
            Walk slow = new Walk(client, plugin.nodeId());
            Volume volume = slow.create("v");
            var first = client.controllerAsync()
                    .controllerPublishVolume(ControllerPublishVolumeRequest.newBuilder()
                            .setVolumeId(volume.getVolumeId())
                            .setNodeId(plugin.nodeId())
                            .setVolumeCapability(slow.capability())
                            .build());
            assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(refused(ABORTED, () -> slow.delete(volume.getVolumeId())))
                    .contains("DeleteVolume")
                    .contains("ControllerPublishVolume");
            assertThat(plugin.overlappingCalls()).isEqualTo(1);
            // Another volume is nobody's business.
            slow.delete(slow.create("other").getVolumeId());
            goOn.countDown();
            assertThat(first.get(30, TimeUnit.SECONDS).getPublishContextMap()).isNotEmpty();
            assertThat(plugin.overlappingCalls()).isEqualTo(1);
        }
    }

    // Groups, health, pages.

    @Test
    void groupSnapshotMembersCannotBeDeletedAlone() {
        Volume one = walk.create("one");
        Volume two = walk.create("two");
        CreateVolumeGroupSnapshotRequest request = CreateVolumeGroupSnapshotRequest.newBuilder()
                .setName("g")
                .addSourceVolumeIds(one.getVolumeId())
                .addSourceVolumeIds(two.getVolumeId())
                .build();
        VolumeGroupSnapshot group =
                walk.client.groups().createVolumeGroupSnapshot(request).getGroupSnapshot();
        assertThat(walk.client.groups().createVolumeGroupSnapshot(request).getGroupSnapshot())
                .isEqualTo(group);
        assertThat(group.getSnapshotsList())
                .hasSize(2)
                .allSatisfy(
                        snapshot -> assertThat(snapshot.getGroupSnapshotId()).isEqualTo(group.getGroupSnapshotId()));
        String member = group.getSnapshots(0).getSnapshotId();
        assertThat(refused(
                        INVALID_ARGUMENT,
                        () -> walk.client
                                .controller()
                                .deleteSnapshot(DeleteSnapshotRequest.newBuilder()
                                        .setSnapshotId(member)
                                        .build())))
                .contains(group.getGroupSnapshotId());
        DeleteVolumeGroupSnapshotRequest.Builder delete = DeleteVolumeGroupSnapshotRequest.newBuilder()
                .setGroupSnapshotId(group.getGroupSnapshotId())
                .addSnapshotIds(member);
        refused(INVALID_ARGUMENT, () -> walk.client.groups().deleteVolumeGroupSnapshot(delete.build()));
        refused(
                ALREADY_EXISTS,
                () -> walk.client
                        .groups()
                        .createVolumeGroupSnapshot(request.toBuilder()
                                .clearSourceVolumeIds()
                                .addSourceVolumeIds(one.getVolumeId())
                                .build()));
        walk.client
                .groups()
                .deleteVolumeGroupSnapshot(
                        delete.addSnapshotIds(group.getSnapshots(1).getSnapshotId())
                                .build());
        assertThat(storage.snapshotIds()).isEmpty();
    }

    @Test
    void healthIsReportedInCsi112AndCsi113Form() {
        Walk well = start(FakeCsiPlugin.builder().nodeId("h").capabilities(FakeCapability.csi113()));
        Walk older = start(FakeCsiPlugin.builder().nodeId("o").capabilities(FakeCapability.csi112()));
        Volume volume = well.create("ill");
        well.create("well");
        storage.makeAbnormal(volume.getVolumeId(), 1, "SlowDisk", "a disk is slow");
        var entries = well.client
                .controller()
                .controllerListVolumeHealth(ControllerListVolumeHealthRequest.getDefaultInstance())
                .getEntriesList();
        assertThat(entries).singleElement().satisfies(entry -> {
            assertThat(entry.getVolumeId()).isEqualTo(volume.getVolumeId());
            assertThat(entry.getHealthStatuses(0).getReason()).isEqualTo("SlowDisk");
        });
        @SuppressWarnings("deprecation") // the condition is of CSI 1.12
        List<String> conditions =
                older.client.controller().listVolumes(ListVolumesRequest.getDefaultInstance()).getEntriesList().stream()
                        .map(entry -> entry.getStatus().getVolumeCondition())
                        .filter(condition -> condition.getAbnormal())
                        .map(condition -> condition.getMessage())
                        .toList();
        assertThat(conditions).containsExactly("a disk is slow");
        storage.makeHealthy(volume.getVolumeId());
        assertThat(well.client
                        .controller()
                        .controllerGetVolumeHealth(ControllerGetVolumeHealthRequest.newBuilder()
                                .setVolumeId(volume.getVolumeId())
                                .build())
                        .getVolumeHealth()
                        .getHealthStatusesCount())
                .isZero();
    }

    @Test
    void listPagesRespectMaximumPageSizeOfPlugin() {
        Walk small = start(FakeCsiPlugin.builder().nodeId("small").maxPageSize(2));
        for (int i = 0; i < 5; i++) {
            small.create("v" + i);
        }
        List<String> found = new ArrayList<>();
        String token = "";
        do {
            ListVolumesResponse page = small.client
                    .controller()
                    .listVolumes(ListVolumesRequest.newBuilder()
                            .setMaxEntries(4)
                            .setStartingToken(token)
                            .build());
            assertThat(page.getEntriesCount()).isBetween(1, 2);
            page.getEntriesList().forEach(entry -> found.add(entry.getVolume().getVolumeId()));
            token = page.getNextToken();
        } while (!token.isEmpty());
        assertThat(found).hasSize(5).doesNotHaveDuplicates().isSorted();
        refused(
                INVALID_ARGUMENT,
                () -> small.client
                        .controller()
                        .listVolumes(ListVolumesRequest.newBuilder()
                                .setMaxEntries(-1)
                                .build()));
    }

    @Test
    void invalidBuilderSettingsAreReportedTogether() {
        assertThatThrownBy(() -> FakeCsiPlugin.builder()
                        .name("-bad-")
                        .nodeId("")
                        .attachLimit(-1)
                        .storage(storage)
                        .stateDir(directory)
                        .with(FakeCapability.OFFLINE_EXPANSION)
                        .topology(Map.of("bad key", "x"))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name '-bad-'")
                .hasMessageContaining("nodeId")
                .hasMessageContaining("attachLimit")
                .hasMessageContaining("storage excludes stateDir")
                .hasMessageContaining("ONLINE_EXPANSION and OFFLINE_EXPANSION")
                .hasMessageContaining("bad key");
    }
}
