package io.csi4j.testkit;

import static io.csi4j.testkit.ConformanceRun.BYTES;
import static io.csi4j.testkit.ConformanceRun.MORE_BYTES;
import static io.csi4j.testkit.ConformanceRun.UNKNOWN;
import static io.csi4j.testkit.ConformanceRun.name;
import static io.csi4j.testkit.ConformanceRun.snapshotRequest;
import static io.csi4j.testkit.PluginClient.refused;
import static io.csi4j.testkit.capability.FakeCapability.CLONE_VOLUME;
import static io.csi4j.testkit.capability.FakeCapability.CONTROLLER_EXPAND_VOLUME;
import static io.csi4j.testkit.capability.FakeCapability.CREATE_DELETE_SNAPSHOT;
import static io.csi4j.testkit.capability.FakeCapability.GET_CAPACITY;
import static io.csi4j.testkit.capability.FakeCapability.GET_STORAGE_HEALTH;
import static io.csi4j.testkit.capability.FakeCapability.GET_VOLUME_STATS;
import static io.csi4j.testkit.capability.FakeCapability.GROUP_CONTROLLER_SERVICE;
import static io.csi4j.testkit.capability.FakeCapability.LIST_SNAPSHOTS;
import static io.csi4j.testkit.capability.FakeCapability.LIST_VOLUMES;
import static io.csi4j.testkit.capability.FakeCapability.MODIFY_VOLUME;
import static io.csi4j.testkit.capability.FakeCapability.NODE_EXPAND_VOLUME;
import static io.csi4j.testkit.capability.FakeCapability.NODE_GET_VOLUME_HEALTH;
import static io.csi4j.testkit.capability.FakeCapability.NODE_SINGLE_NODE_MULTI_WRITER;
import static io.csi4j.testkit.capability.FakeCapability.PUBLISH_READONLY;
import static io.csi4j.testkit.capability.FakeCapability.PUBLISH_UNPUBLISH_VOLUME;
import static io.csi4j.testkit.capability.FakeCapability.STAGE_UNSTAGE_VOLUME;
import static io.csi4j.testkit.capability.FakeCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS;
import static io.grpc.Status.Code.ABORTED;
import static io.grpc.Status.Code.ALREADY_EXISTS;
import static io.grpc.Status.Code.FAILED_PRECONDITION;
import static io.grpc.Status.Code.INVALID_ARGUMENT;
import static io.grpc.Status.Code.NOT_FOUND;
import static io.grpc.Status.Code.RESOURCE_EXHAUSTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.testkit.capability.FakeCapability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The cases of the public conformance suite, by meaning. */
final class ConformanceCases {
    private static final Map<String, String> MUTABLE = Map.of("iops", "3014");
    private static final Map<String, String> NOT_MUTABLE = Map.of("XXX_FakeKey", "XXX_FakeValue");

    private ConformanceCases() {}

    /** One case; those that need a capability that is off do nothing. */
    interface Case {
        void run(ConformanceRun run) throws Exception;
    }

    private static final Map<String, Case> CASES = new LinkedHashMap<>();

    static Map<String, Case> all() {
        return CASES;
    }

    private static void add(String name, Case one) {
        if (CASES.put(name, one) != null) {
            throw new IllegalStateException("two cases are called " + name);
        }
    }

    private static void add(String name, Set<FakeCapability> needed, Case one) {
        add(name, run -> {
            if (run.on.containsAll(needed)) {
                one.run(run);
            }
        });
    }

    static {
        identity();
        capabilitiesAndCapacity();
        listingVolumes();
        creating();
        creatingFromSources();
        deletingAndValidating();
        controllerPublishing();
        listingSnapshots();
        snapshots();
        expandingAndModifying();
        groups();
        nodePublishing();
        staging();
        statsAndNodeExpansion();
        wholeWay();
    }

    private static void identity() {
        add("identity: the plugin is ready or says so", run -> {
            ProbeResponse probe = run.client.identity().probe(ProbeRequest.getDefaultInstance());
            assertThat(probe.getReady().getValue()).isTrue();
        });
        add(
                "identity: the name has the right form",
                run -> assertThat(run.client
                                .identity()
                                .getPluginInfo(GetPluginInfoRequest.getDefaultInstance())
                                .getName())
                        .matches("[a-zA-Z][A-Za-z0-9._-]{0,61}[a-zA-Z]"));
        add("identity: the services are known ones", run -> {
            GetPluginCapabilitiesResponse response =
                    run.client.identity().getPluginCapabilities(GetPluginCapabilitiesRequest.getDefaultInstance());
            assertThat(response.getCapabilitiesList())
                    .isNotEmpty()
                    .allSatisfy(
                            one -> assertThat(one.getTypeCase()).isNotEqualTo(PluginCapability.TypeCase.TYPE_NOT_SET));
            assertThat(response.getCapabilitiesList().stream()
                            .filter(PluginCapability::hasService)
                            .map(one -> one.getService().getType().getNumber())
                            .toList())
                    .containsExactlyElementsOf(run.on.stream()
                            .filter(one -> one.service() == FakeCapability.Service.PLUGIN)
                            .sorted()
                            .map(FakeCapability::number)
                            .toList());
        });
    }

    private static void capabilitiesAndCapacity() {
        add(
                "controller: capabilities are told, and at least one",
                run -> assertThat(run.client
                                .controller()
                                .controllerGetCapabilities(ControllerGetCapabilitiesRequest.getDefaultInstance())
                                .getCapabilitiesList())
                        .isNotEmpty()
                        .allSatisfy(one -> assertThat(one.hasRpc()).isTrue()));
        add(
                "node: capabilities are told",
                run -> assertThat(run.client
                                .node()
                                .nodeGetCapabilities(NodeGetCapabilitiesRequest.getDefaultInstance())
                                .getCapabilitiesList())
                        .allSatisfy(one -> assertThat(one.hasRpc()).isTrue()));
        add("node: it tells its id, its limit and its place", run -> {
            NodeGetInfoResponse info = run.client.node().nodeGetInfo(NodeGetInfoRequest.getDefaultInstance());
            assertThat(info.getNodeId()).isNotEmpty();
            assertThat(info.getMaxVolumesPerNode()).isNotNegative();
            assertThat(info.hasAccessibleTopology()).isEqualTo(run.has(VOLUME_ACCESSIBILITY_CONSTRAINTS));
        });
        add(
                "capacity without any argument",
                Set.of(GET_CAPACITY),
                run -> assertThat(run.client
                                .controller()
                                .getCapacity(GetCapacityRequest.getDefaultInstance())
                                .getAvailableCapacity())
                        .isPositive());
    }

    private static void listingVolumes() {
        add(
                "a token that no list has returned",
                Set.of(LIST_VOLUMES),
                run -> refused(
                        ABORTED,
                        () -> run.client
                                .controller()
                                .listVolumes(ListVolumesRequest.newBuilder()
                                        .setStartingToken("invalid-token")
                                        .build())));
        add("new volumes are listed and deleted ones are not", Set.of(LIST_VOLUMES), run -> {
            ListVolumesRequest all = ListVolumesRequest.getDefaultInstance();
            int before = run.client.controller().listVolumes(all).getEntriesCount();
            Volume volume = run.create(CreateVolumeRequest.newBuilder()
                    .setName("listed")
                    .addVolumeCapabilities(run.writer())
                    .build());
            assertThat(run.client.controller().listVolumes(all).getEntriesList())
                    .hasSize(before + 1)
                    .allSatisfy(one -> assertThat(one.getVolume().getVolumeId()).isNotEmpty());
            run.client
                    .controller()
                    .deleteVolume(DeleteVolumeRequest.newBuilder()
                            .setVolumeId(volume.getVolumeId())
                            .build());
            assertThat(run.client.controller().listVolumes(all).getEntriesCount())
                    .isEqualTo(before);
        });
        add("a token stays good when all that was listed goes away", Set.of(LIST_VOLUMES), run -> {
            for (int i = 0; i < 3; i++) {
                run.create("page");
            }
            ListVolumesResponse first = run.client
                    .controller()
                    .listVolumes(
                            ListVolumesRequest.newBuilder().setMaxEntries(2).build());
            assertThat(first.getEntriesCount()).isEqualTo(2);
            for (ListVolumesResponse.Entry entry : first.getEntriesList()) {
                run.client
                        .controller()
                        .deleteVolume(DeleteVolumeRequest.newBuilder()
                                .setVolumeId(entry.getVolume().getVolumeId())
                                .build());
            }
            Volume added = run.create("page");
            ListVolumesResponse rest = run.client
                    .controller()
                    .listVolumes(ListVolumesRequest.newBuilder()
                            .setStartingToken(first.getNextToken())
                            .build());
            assertThat(rest.getEntriesList().stream()
                            .map(one -> one.getVolume().getVolumeId())
                            .toList())
                    .hasSize(2)
                    .doesNotHaveDuplicates()
                    .contains(added.getVolumeId())
                    .doesNotContainAnyElementsOf(first.getEntriesList().stream()
                            .map(one -> one.getVolume().getVolumeId())
                            .toList());
        });
    }

    private static void creating() {
        add(
                "create without a name",
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client.controller().createVolume(CreateVolumeRequest.getDefaultInstance())));
        add(
                "create without capabilities",
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .controller()
                                .createVolume(CreateVolumeRequest.newBuilder()
                                        .setName(name("x"))
                                        .build())));
        add(
                "create without a size",
                run -> run.create(CreateVolumeRequest.newBuilder()
                        .setName(name("unsized"))
                        .addVolumeCapabilities(run.writer())
                        .build()));
        add(
                "create with a size",
                run -> assertThat(run.create("sized").getCapacityBytes()).isGreaterThanOrEqualTo(BYTES));
        add("create twice with the same arguments", run -> {
            CreateVolumeRequest request = CreateVolumeRequest.newBuilder()
                    .setName(name("twice"))
                    .addVolumeCapabilities(run.writer())
                    .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(BYTES))
                    .build();
            assertThat(run.create(request).getVolumeId())
                    .isEqualTo(run.create(request).getVolumeId());
        });
        add("create twice with another size", run -> {
            CreateVolumeRequest.Builder request = run.volumeRequest(name("twice"));
            run.create(request.build());
            request.setCapacityRange(
                    CapacityRange.newBuilder().setRequiredBytes(2 * BYTES).setLimitBytes(2 * BYTES));
            refused(ALREADY_EXISTS, () -> run.client.controller().createVolume(request.build()));
        });
        add("create with the longest name", run -> {
            String longest = name("longest");
            run.create(run.volumeRequest(longest + "n".repeat(128 - longest.length()))
                    .build());
        });
    }

    private static VolumeContentSource fromSnapshot(String id) {
        VolumeContentSource.Builder source = VolumeContentSource.newBuilder();
        source.getSnapshotBuilder().setSnapshotId(id);
        return source.build();
    }

    private static VolumeContentSource fromVolume(String id) {
        VolumeContentSource.Builder source = VolumeContentSource.newBuilder();
        source.getVolumeBuilder().setVolumeId(id);
        return source.build();
    }

    private static void creatingFromSources() {
        add("create from a snapshot", Set.of(CREATE_DELETE_SNAPSHOT), run -> {
            Snapshot snapshot = run.snapshot(snapshotRequest(name("snap"), run.create("source")));
            assertThat(snapshot.getReadyToUse()).isTrue();
            Volume restored = run.create(run.volumeRequest(name("restored"))
                    .setVolumeContentSource(fromSnapshot(snapshot.getSnapshotId()))
                    .build());
            assertThat(restored.getContentSource().getSnapshot().getSnapshotId())
                    .isEqualTo(snapshot.getSnapshotId());
        });
        add(
                "create from an unknown snapshot",
                Set.of(CREATE_DELETE_SNAPSHOT),
                run -> refused(
                        NOT_FOUND,
                        () -> run.client
                                .controller()
                                .createVolume(run.volumeRequest(name("x"))
                                        .setVolumeContentSource(fromSnapshot("non-existing-snapshot-id"))
                                        .build())));
        add("create from a volume", Set.of(CLONE_VOLUME), run -> {
            Volume source = run.create("source");
            Volume clone = run.create(run.volumeRequest(name("clone"))
                    .setVolumeContentSource(fromVolume(source.getVolumeId()))
                    .build());
            assertThat(clone.hasContentSource()).isTrue();
        });
        add(
                "create from an unknown volume",
                Set.of(CLONE_VOLUME),
                run -> refused(
                        NOT_FOUND,
                        () -> run.client
                                .controller()
                                .createVolume(run.volumeRequest(name("x"))
                                        .setVolumeContentSource(fromVolume(UNKNOWN))
                                        .build())));
        add(
                "create with mutable parameters",
                Set.of(MODIFY_VOLUME),
                run -> run.create(run.volumeRequest(name("mutable"))
                        .putAllModifiableParameters(MUTABLE)
                        .build()));
        add(
                "create with unknown mutable parameters",
                Set.of(MODIFY_VOLUME),
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .controller()
                                .createVolume(run.volumeRequest(name("x"))
                                        .putAllModifiableParameters(NOT_MUTABLE)
                                        .build())));
    }

    private static void deletingAndValidating() {
        add(
                "delete without an id",
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client.controller().deleteVolume(DeleteVolumeRequest.getDefaultInstance())));
        add(
                "delete an unknown volume",
                run -> run.client
                        .controller()
                        .deleteVolume(DeleteVolumeRequest.newBuilder()
                                .setVolumeId("reallyfakevolumeid")
                                .build()));
        add(
                "validate without an id",
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .controller()
                                .validateVolumeCapabilities(ValidateVolumeCapabilitiesRequest.getDefaultInstance())));
        add("validate without capabilities", run -> {
            Volume volume = run.create("validated");
            refused(
                    INVALID_ARGUMENT,
                    () -> run.client
                            .controller()
                            .validateVolumeCapabilities(ValidateVolumeCapabilitiesRequest.newBuilder()
                                    .setVolumeId(volume.getVolumeId())
                                    .build()));
        });
        add("validate", run -> {
            Volume volume = run.create("validated");
            ValidateVolumeCapabilitiesResponse response = run.client
                    .controller()
                    .validateVolumeCapabilities(ValidateVolumeCapabilitiesRequest.newBuilder()
                            .setVolumeId(volume.getVolumeId())
                            .addVolumeCapabilities(run.writer())
                            .build());
            assertThat(response.getConfirmed().getVolumeCapabilitiesList()).containsExactly(run.writer());
        });
        add(
                "validate an unknown volume",
                run -> refused(
                        NOT_FOUND,
                        () -> run.client
                                .controller()
                                .validateVolumeCapabilities(ValidateVolumeCapabilitiesRequest.newBuilder()
                                        .setVolumeId(UNKNOWN)
                                        .addVolumeCapabilities(run.writer())
                                        .build())));
    }

    private static void controllerPublishing() {
        Set<FakeCapability> publish = Set.of(PUBLISH_UNPUBLISH_VOLUME);
        add(
                "publish without an id",
                publish,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .controller()
                                .controllerPublishVolume(ControllerPublishVolumeRequest.getDefaultInstance())));
        add(
                "publish without a node",
                publish,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .controller()
                                .controllerPublishVolume(ControllerPublishVolumeRequest.newBuilder()
                                        .setVolumeId(UNKNOWN)
                                        .build())));
        add(
                "publish without a capability",
                publish,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .controller()
                                .controllerPublishVolume(ControllerPublishVolumeRequest.newBuilder()
                                        .setVolumeId(UNKNOWN)
                                        .setNodeId("some-node")
                                        .build())));
        add(
                "publish an unknown volume to an unknown node",
                publish,
                run -> refused(
                        NOT_FOUND,
                        () -> run.client
                                .controller()
                                .controllerPublishVolume(ControllerPublishVolumeRequest.newBuilder()
                                        .setVolumeId(UNKNOWN)
                                        .setNodeId("some-node")
                                        .setVolumeCapability(run.writer())
                                        .build())));
        add("publish to an unknown node", publish, run -> {
            Volume volume = run.create("published");
            refused(
                    NOT_FOUND,
                    () -> run.client
                            .controller()
                            .controllerPublishVolume(
                                    run.publishRequest(volume, "some-node").build()));
        });
        add("publish more volumes than the node's limit", publish, run -> {
            long limit = run.client
                    .node()
                    .nodeGetInfo(NodeGetInfoRequest.getDefaultInstance())
                    .getMaxVolumesPerNode();
            for (long i = 0; i < limit; i++) {
                run.attach(run.publishRequest(run.create("many"), run.nodeId()).build());
            }
            Volume extra = run.create("many");
            refused(
                    RESOURCE_EXHAUSTED,
                    () -> run.client
                            .controller()
                            .controllerPublishVolume(
                                    run.publishRequest(extra, run.nodeId()).build()));
        });
        add("publish again, readonly this time", Set.of(PUBLISH_UNPUBLISH_VOLUME, PUBLISH_READONLY), run -> {
            ControllerPublishVolumeRequest.Builder request = run.publishRequest(run.create("published"), run.nodeId());
            run.attach(request.build());
            request.setReadonly(true);
            refused(ALREADY_EXISTS, () -> run.client.controller().controllerPublishVolume(request.build()));
        });
        add(
                "unpublish without an id",
                publish,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .controller()
                                .controllerUnpublishVolume(ControllerUnpublishVolumeRequest.getDefaultInstance())));
        for (int count : new int[] {1, 10}) {
            add("controller's way, each call " + count + " times", publish, run -> {
                Volume volume = run.create(nearby(run, "controller-way"));
                for (int i = 0; i < count; i++) {
                    run.attach(run.publishRequest(volume, run.nodeId())
                            .putAllVolumeContext(volume.getVolumeContextMap())
                            .build());
                }
            });
        }
    }

    /** A volume that is wanted where the node is, if the node is somewhere. */
    private static CreateVolumeRequest nearby(ConformanceRun run, String prefix) {
        CreateVolumeRequest.Builder request = run.volumeRequest(name(prefix));
        NodeGetInfoResponse info = run.client.node().nodeGetInfo(NodeGetInfoRequest.getDefaultInstance());
        if (info.hasAccessibleTopology()) {
            request.getAccessibilityRequirementsBuilder().addRequisite(info.getAccessibleTopology());
        }
        return request.build();
    }

    private static void listingSnapshots() {
        Set<FakeCapability> both = Set.of(LIST_SNAPSHOTS, CREATE_DELETE_SNAPSHOT);
        add("list snapshots by id", both, run -> {
            Snapshot wanted = null;
            for (int i = 0; i < 3; i++) {
                Snapshot one = run.snapshot(snapshotRequest(name("snap"), run.create("source")));
                wanted = i == 1 ? one : wanted;
            }
            assertThat(wanted).isNotNull();
            assertThat(run.client
                            .controller()
                            .listSnapshots(ListSnapshotsRequest.newBuilder()
                                    .setSnapshotId(wanted.getSnapshotId())
                                    .build())
                            .getEntriesList())
                    .extracting(ListSnapshotsResponse.Entry::getSnapshot)
                    .containsExactly(wanted);
            assertThat(run.client
                            .controller()
                            .listSnapshots(ListSnapshotsRequest.newBuilder()
                                    .setSourceVolumeId(wanted.getSourceVolumeId())
                                    .build())
                            .getEntriesList())
                    .extracting(ListSnapshotsResponse.Entry::getSnapshot)
                    .containsExactly(wanted);
        });
        add("list snapshots of what does not exist", Set.of(LIST_SNAPSHOTS), run -> {
            assertThat(run.client
                            .controller()
                            .listSnapshots(ListSnapshotsRequest.newBuilder()
                                    .setSnapshotId("none-exist-id")
                                    .build())
                            .getEntriesList())
                    .isEmpty();
            assertThat(run.client
                            .controller()
                            .listSnapshots(ListSnapshotsRequest.newBuilder()
                                    .setSourceVolumeId(UNKNOWN)
                                    .build())
                            .getEntriesList())
                    .isEmpty();
        });
        add("list snapshots in pages", both, run -> {
            for (int i = 0; i < 5; i++) {
                run.snapshot(snapshotRequest(name("snap"), run.create("source")));
            }
            ListSnapshotsResponse first = run.client
                    .controller()
                    .listSnapshots(
                            ListSnapshotsRequest.newBuilder().setMaxEntries(2).build());
            assertThat(first.getEntriesCount()).isEqualTo(2);
            ListSnapshotsResponse rest = run.client
                    .controller()
                    .listSnapshots(ListSnapshotsRequest.newBuilder()
                            .setStartingToken(first.getNextToken())
                            .build());
            assertThat(rest.getEntriesCount()).isEqualTo(3);
            assertThat(rest.getNextToken()).isEmpty();
        });
        add("deleted snapshots are not listed", both, run -> {
            Snapshot snapshot = run.snapshot(snapshotRequest(name("snap"), run.create("source")));
            ListSnapshotsRequest all = ListSnapshotsRequest.getDefaultInstance();
            assertThat(run.client.controller().listSnapshots(all).getEntriesCount())
                    .isEqualTo(1);
            run.client
                    .controller()
                    .deleteSnapshot(DeleteSnapshotRequest.newBuilder()
                            .setSnapshotId(snapshot.getSnapshotId())
                            .build());
            assertThat(run.client.controller().listSnapshots(all).getEntriesCount())
                    .isZero();
        });
    }

    private static void snapshots() {
        Set<FakeCapability> needed = Set.of(CREATE_DELETE_SNAPSHOT);
        add(
                "delete a snapshot without an id",
                needed,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client.controller().deleteSnapshot(DeleteSnapshotRequest.getDefaultInstance())));
        add(
                "delete an unknown snapshot",
                needed,
                run -> run.client
                        .controller()
                        .deleteSnapshot(DeleteSnapshotRequest.newBuilder()
                                .setSnapshotId("reallyfakesnapshotid")
                                .build()));
        add(
                "snapshot without a name",
                needed,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .controller()
                                .createSnapshot(CreateSnapshotRequest.newBuilder()
                                        .setSourceVolumeId("testId")
                                        .build())));
        add(
                "snapshot without a source",
                needed,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .controller()
                                .createSnapshot(CreateSnapshotRequest.newBuilder()
                                        .setName("name")
                                        .build())));
        add("snapshot twice", needed, run -> {
            CreateSnapshotRequest request = snapshotRequest(name("snap"), run.create("source"));
            assertThat(run.snapshot(request)).isEqualTo(run.snapshot(request));
        });
        add("snapshot of another volume under the same name", needed, run -> {
            String name = name("snap");
            run.snapshot(snapshotRequest(name, run.create("source")));
            Volume other = run.create("source");
            refused(ALREADY_EXISTS, () -> run.client.controller().createSnapshot(snapshotRequest(name, other)));
        });
        add("snapshot with the longest name", needed, run -> {
            String longest = name("longest");
            CreateSnapshotRequest request =
                    snapshotRequest(longest + "n".repeat(128 - longest.length()), run.create("source"));
            assertThat(run.snapshot(request)).isEqualTo(run.snapshot(request));
        });
    }

    private static void expandingAndModifying() {
        Set<FakeCapability> expand = Set.of(CONTROLLER_EXPAND_VOLUME);
        CapacityRange more =
                CapacityRange.newBuilder().setRequiredBytes(MORE_BYTES).build();
        add(
                "expand without an id",
                expand,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .controller()
                                .controllerExpandVolume(ControllerExpandVolumeRequest.newBuilder()
                                        .setCapacityRange(more)
                                        .build())));
        add(
                "expand without a size",
                expand,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .controller()
                                .controllerExpandVolume(ControllerExpandVolumeRequest.getDefaultInstance())));
        add(
                "expand",
                expand,
                run -> assertThat(run.client
                                .controller()
                                .controllerExpandVolume(ControllerExpandVolumeRequest.newBuilder()
                                        .setVolumeId(run.create("expanded").getVolumeId())
                                        .setCapacityRange(more)
                                        .setVolumeCapability(run.writer())
                                        .build())
                                .getCapacityBytes())
                        .isEqualTo(MORE_BYTES));
        Set<FakeCapability> modify = Set.of(MODIFY_VOLUME);
        add(
                "modify without an id",
                modify,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .controller()
                                .controllerModifyVolume(ControllerModifyVolumeRequest.newBuilder()
                                        .putAllModifiableParameters(MUTABLE)
                                        .build())));
        for (Map<String, String> changes : java.util.List.of(MUTABLE, Map.<String, String>of())) {
            String how = changes.isEmpty() ? " with nothing, as the suite does unless told" : "";
            add(
                    "modify an unknown volume" + how,
                    modify,
                    run -> refused(
                            NOT_FOUND,
                            () -> run.client
                                    .controller()
                                    .controllerModifyVolume(ControllerModifyVolumeRequest.newBuilder()
                                            .setVolumeId("non-existing-volume-id")
                                            .putAllModifiableParameters(changes)
                                            .build())));
            add(
                    "modify" + how,
                    modify,
                    run -> run.client
                            .controller()
                            .controllerModifyVolume(ControllerModifyVolumeRequest.newBuilder()
                                    .setVolumeId(run.create("modified").getVolumeId())
                                    .putAllModifiableParameters(changes)
                                    .build()));
        }
        add("modify what cannot be modified", modify, run -> {
            Volume volume = run.create(run.volumeRequest(name("modified"))
                    .putAllModifiableParameters(MUTABLE)
                    .build());
            refused(
                    INVALID_ARGUMENT,
                    () -> run.client
                            .controller()
                            .controllerModifyVolume(ControllerModifyVolumeRequest.newBuilder()
                                    .setVolumeId(volume.getVolumeId())
                                    .putAllModifiableParameters(NOT_MUTABLE)
                                    .build()));
        });
    }

    private static void groups() {
        Set<FakeCapability> needed = Set.of(GROUP_CONTROLLER_SERVICE);
        add(
                "group: capabilities are told",
                needed,
                run -> assertThat(run.client
                                .groups()
                                .groupControllerGetCapabilities(
                                        GroupControllerGetCapabilitiesRequest.getDefaultInstance())
                                .getCapabilitiesList())
                        .hasSize(1));
        add(
                "group: create without a name",
                needed,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .groups()
                                .createVolumeGroupSnapshot(CreateVolumeGroupSnapshotRequest.getDefaultInstance())));
        add(
                "group: get without an id",
                needed,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .groups()
                                .getVolumeGroupSnapshot(GetVolumeGroupSnapshotRequest.getDefaultInstance())));
        add(
                "group: get an unknown one",
                needed,
                run -> refused(
                        NOT_FOUND,
                        () -> run.client
                                .groups()
                                .getVolumeGroupSnapshot(GetVolumeGroupSnapshotRequest.newBuilder()
                                        .setGroupSnapshotId("reallyfakevolumeid")
                                        .build())));
        add(
                "group: delete without an id",
                needed,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .groups()
                                .deleteVolumeGroupSnapshot(DeleteVolumeGroupSnapshotRequest.getDefaultInstance())));
        add(
                "group: delete an unknown one",
                needed,
                run -> run.client
                        .groups()
                        .deleteVolumeGroupSnapshot(DeleteVolumeGroupSnapshotRequest.newBuilder()
                                .setGroupSnapshotId("reallyfakevolumeid")
                                .build()));
    }

    private static void nodePublishing() {
        add(
                "node publish without an id",
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client.node().nodePublishVolume(NodePublishVolumeRequest.getDefaultInstance())));
        add(
                "node publish without a target",
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .node()
                                .nodePublishVolume(NodePublishVolumeRequest.newBuilder()
                                        .setVolumeId(UNKNOWN)
                                        .build())));
        add(
                "node publish without a capability",
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .node()
                                .nodePublishVolume(NodePublishVolumeRequest.newBuilder()
                                        .setVolumeId(UNKNOWN)
                                        .setTargetPath(run.target())
                                        .build())));
        add("a single writer at a second path", Set.of(NODE_SINGLE_NODE_MULTI_WRITER), run -> {
            VolumeCapability single = run.capability(Mode.SINGLE_NODE_SINGLE_WRITER);
            Volume volume = run.create(run.volumeRequest(name("single"))
                    .clearVolumeCapabilities()
                    .addVolumeCapabilities(single)
                    .build());
            run.bringUp(volume, single);
            Map<String, String> context = run.attach(run.publishRequest(volume, run.nodeId())
                    .setVolumeCapability(single)
                    .build());
            refused(
                    FAILED_PRECONDITION,
                    () -> run.client
                            .node()
                            .nodePublishVolume(run.nodePublishRequest(volume, context, single)
                                    .setTargetPath(run.targetParent + "/other_target")
                                    .build()));
        });
        add(
                "node unpublish without an id",
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client.node().nodeUnpublishVolume(NodeUnpublishVolumeRequest.getDefaultInstance())));
        add(
                "node unpublish without a target",
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .node()
                                .nodeUnpublishVolume(NodeUnpublishVolumeRequest.newBuilder()
                                        .setVolumeId(UNKNOWN)
                                        .build())));
        add("node unpublish removes the entry at the target", run -> {
            Volume volume = run.create("unpublished");
            run.bringUp(volume, run.writer());
            Path target = Path.of(run.target());
            assertThat(run.block ? Files.isRegularFile(target) : Files.isDirectory(target))
                    .isTrue();
            run.client
                    .node()
                    .nodeUnpublishVolume(NodeUnpublishVolumeRequest.newBuilder()
                            .setVolumeId(volume.getVolumeId())
                            .setTargetPath(run.target())
                            .build());
            assertThat(target).doesNotExist();
        });
    }

    private static void staging() {
        Set<FakeCapability> needed = Set.of(STAGE_UNSTAGE_VOLUME);
        add(
                "stage without an id",
                needed,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .node()
                                .nodeStageVolume(NodeStageVolumeRequest.newBuilder()
                                        .setStagingTargetPath(run.staging.toString())
                                        .setVolumeCapability(run.writer())
                                        .putPublishContext("device", "/dev/mock")
                                        .build())));
        add(
                "stage without a path",
                needed,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .node()
                                .nodeStageVolume(NodeStageVolumeRequest.newBuilder()
                                        .setVolumeId(UNKNOWN)
                                        .setVolumeCapability(run.writer())
                                        .putPublishContext("device", "/dev/mock")
                                        .build())));
        add("stage without a capability", needed, run -> {
            Volume volume = run.create("staged");
            refused(
                    INVALID_ARGUMENT,
                    () -> run.client
                            .node()
                            .nodeStageVolume(NodeStageVolumeRequest.newBuilder()
                                    .setVolumeId(volume.getVolumeId())
                                    .setStagingTargetPath(run.staging.toString())
                                    .putPublishContext("device", "/dev/mock")
                                    .build()));
        });
        add(
                "unstage without an id",
                needed,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .node()
                                .nodeUnstageVolume(NodeUnstageVolumeRequest.newBuilder()
                                        .setStagingTargetPath(run.staging.toString())
                                        .build())));
        add(
                "unstage without a path",
                needed,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .node()
                                .nodeUnstageVolume(NodeUnstageVolumeRequest.newBuilder()
                                        .setVolumeId(UNKNOWN)
                                        .build())));
    }

    private static NodeGetVolumeStatsRequest stats(String volumeId, String path) {
        return NodeGetVolumeStatsRequest.newBuilder()
                .setVolumeId(volumeId)
                .setVolumePath(path)
                .build();
    }

    private static void statsAndNodeExpansion() {
        Set<FakeCapability> stats = Set.of(GET_VOLUME_STATS);
        add(
                "stats without an id",
                stats,
                run -> refused(INVALID_ARGUMENT, () -> run.client.node().nodeGetVolumeStats(stats("", "some/path"))));
        add(
                "stats without a path",
                stats,
                run -> refused(INVALID_ARGUMENT, () -> run.client.node().nodeGetVolumeStats(stats(UNKNOWN, ""))));
        add(
                "stats of an unknown volume",
                stats,
                run -> refused(NOT_FOUND, () -> run.client.node().nodeGetVolumeStats(stats(UNKNOWN, "some/path"))));
        add("stats where the volume is not", stats, run -> {
            Volume volume = run.create("measured");
            run.bringUp(volume, run.writer());
            refused(NOT_FOUND, () -> run.client.node().nodeGetVolumeStats(stats(volume.getVolumeId(), "some/path")));
        });
        Set<FakeCapability> expand = Set.of(NODE_EXPAND_VOLUME);
        add(
                "node expand without an id",
                expand,
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client
                                .node()
                                .nodeExpandVolume(NodeExpandVolumeRequest.newBuilder()
                                        .setVolumePath(run.targetParent.toString())
                                        .setVolumeCapability(run.writer())
                                        .build())));
        add("node expand without a path", expand, run -> {
            Volume volume = run.create("expanded");
            refused(
                    INVALID_ARGUMENT,
                    () -> run.client
                            .node()
                            .nodeExpandVolume(NodeExpandVolumeRequest.newBuilder()
                                    .setVolumeId(volume.getVolumeId())
                                    .setVolumeCapability(run.writer())
                                    .build()));
        });
        add(
                "node expand an unknown volume",
                expand,
                run -> refused(
                        NOT_FOUND,
                        () -> run.client
                                .node()
                                .nodeExpandVolume(NodeExpandVolumeRequest.newBuilder()
                                        .setVolumeId(UNKNOWN)
                                        .setVolumePath("some/path")
                                        .build())));
        add("node expand after publishing", expand, run -> {
            Volume volume = run.create("expanded");
            CapacityRange more =
                    CapacityRange.newBuilder().setRequiredBytes(MORE_BYTES).build();
            if (run.has(CONTROLLER_EXPAND_VOLUME)) {
                run.client
                        .controller()
                        .controllerExpandVolume(ControllerExpandVolumeRequest.newBuilder()
                                .setVolumeId(volume.getVolumeId())
                                .setCapacityRange(more)
                                .build());
            }
            run.bringUp(volume, run.writer());
            assertThat(run.client
                            .node()
                            .nodeExpandVolume(NodeExpandVolumeRequest.newBuilder()
                                    .setVolumeId(volume.getVolumeId())
                                    .setVolumePath(run.target())
                                    .setCapacityRange(more)
                                    .build())
                            .getCapacityBytes())
                    .isEqualTo(MORE_BYTES);
        });
        add(
                "node health without an id",
                Set.of(NODE_GET_VOLUME_HEALTH),
                run -> refused(
                        INVALID_ARGUMENT,
                        () -> run.client.node().nodeGetVolumeHealth(NodeGetVolumeHealthRequest.getDefaultInstance())));
        add("node health", Set.of(NODE_GET_VOLUME_HEALTH), run -> {
            Volume volume = run.create("well");
            run.bringUp(volume, run.writer());
            assertThat(run.client
                            .node()
                            .nodeGetVolumeHealth(NodeGetVolumeHealthRequest.newBuilder()
                                    .setVolumeId(volume.getVolumeId())
                                    .build())
                            .getVolumeHealth()
                            .getVolumeId())
                    .isEqualTo(volume.getVolumeId());
        });
        add(
                "storage health",
                Set.of(GET_STORAGE_HEALTH),
                run -> assertThat(run.client
                                .node()
                                .nodeGetStorageHealth(NodeGetStorageHealthRequest.getDefaultInstance())
                                .getBackendHealthList())
                        .isEmpty());
    }

    private static void wholeWay() {
        for (int count : new int[] {1, 10}) {
            add("the whole way, each call " + count + " times", run -> {
                Volume volume = run.create(nearby(run, "whole-way"));
                Map<String, String> context = run.attach(run.publishRequest(volume, run.nodeId())
                        .putAllVolumeContext(volume.getVolumeContextMap())
                        .build());
                for (int i = 0; i < count; i++) {
                    run.stage(volume, context, run.writer());
                }
                for (int i = 0; i < count; i++) {
                    run.client
                            .node()
                            .nodePublishVolume(run.nodePublishRequest(volume, context, run.writer())
                                    .build());
                }
                if (run.has(GET_VOLUME_STATS)) {
                    assertThat(run.client
                                    .node()
                                    .nodeGetVolumeStats(stats(volume.getVolumeId(), run.target()))
                                    .getUsageList())
                            .isNotEmpty();
                }
            });
        }
    }
}
