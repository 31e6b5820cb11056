package io.csi4j.testkit.conformance;

import static io.csi4j.testkit.conformance.Defect.answer;
import static io.csi4j.testkit.conformance.Defect.breaksWhenLost;
import static io.csi4j.testkit.conformance.Defect.code;
import static io.csi4j.testkit.conformance.Defect.endless;
import static io.csi4j.testkit.conformance.Defect.error;
import static io.csi4j.testkit.conformance.Defect.ignores;
import static io.csi4j.testkit.conformance.Defect.planted;
import static io.csi4j.testkit.conformance.Defect.pretends;
import static io.csi4j.testkit.conformance.Defect.refuses;
import static io.csi4j.testkit.conformance.Defect.refusesRepeat;
import static io.csi4j.testkit.conformance.Defect.request;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.*;
import io.csi4j.proto.csi.v1.ControllerListVolumeHealthRequest;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.testkit.conformance.Defect.Variant;
import io.csi4j.testkit.conformance.FaultyFake.Behaviour;
import io.csi4j.testkit.conformance.FaultyFake.Call;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Defects of Node, snapshots, groups, and of calls that are repeated, simultaneous or cut off. */
final class NodeDefects {
    private NodeDefects() {}

    static List<Defect> all() {
        return Stream.of(
                        info(),
                        stages(),
                        publishes(),
                        secondPublishes(),
                        stats(),
                        snapshots(),
                        snapshotLists(),
                        groups(),
                        streams(),
                        texts(),
                        simultaneous(),
                        lost(),
                        restarts())
                .flatMap(List::stream)
                .toList();
    }

    /** The plugin replaces the target by a link to the directory above it. */
    private static Message linkTarget(Call call) {
        Message answer = call.forward();
        if (call.request() instanceof NodePublishVolumeRequest publish) {
            Path target = Path.of(publish.getTargetPath());
            try {
                Files.delete(target);
                Files.createSymbolicLink(target, Path.of("."));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return answer;
    }

    private static List<Defect> info() {
        AtomicInteger counter = new AtomicInteger();
        Class<NodeGetInfoResponse> info = NodeGetInfoResponse.class;
        return List.of(
                planted(
                        "the node id is missing",
                        "R93",
                        "node-info.values",
                        answer(info, one -> one.toBuilder().clearNodeId().build())),
                planted(
                        "the node id has 300 bytes",
                        "R17",
                        "node-info.values",
                        answer(
                                info,
                                one -> one.toBuilder()
                                        .setNodeId("n".repeat(300))
                                        .build())),
                planted(
                        "the limit of volumes is negative",
                        "R93",
                        "node-info.values",
                        answer(
                                info,
                                one -> one.toBuilder().setMaxVolumesPerNode(-1).build())),
                planted(
                        "the node id differs from call to call",
                        "R93",
                        "node-info.values",
                        answer(
                                info,
                                one -> one.toBuilder()
                                        .setNodeId("n" + counter.incrementAndGet())
                                        .build())),
                planted(
                        "the topology of the node has a bad key",
                        "R24",
                        "node-info.topology",
                        answer(
                                info,
                                one -> one.toBuilder()
                                        .setAccessibleTopology(
                                                Topology.newBuilder().putSegments("UPPER.io/zone", "z"))
                                        .build())));
    }

    private static List<Defect> stages() {
        Class<NodeStageVolumeRequest> stage = NodeStageVolumeRequest.class;
        Class<NodeUnstageVolumeRequest> unstage = NodeUnstageVolumeRequest.class;
        var staged = NodeStageVolumeResponse.getDefaultInstance();
        var unstaged = NodeUnstageVolumeResponse.getDefaultInstance();
        return List.of(
                planted(
                        "a missing volume id is NOT_FOUND",
                        "R22",
                        "stage.no-id",
                        refuses(stage, one -> one.getVolumeId().isEmpty(), Code.NOT_FOUND)),
                planted(
                        "a missing staging path is ignored",
                        "R22",
                        "stage.no-path",
                        pretends(stage, Code.INVALID_ARGUMENT, staged)),
                planted(
                        "a missing capability is ignored",
                        "R22",
                        "stage.no-capability",
                        pretends(stage, Code.INVALID_ARGUMENT, staged)),
                planted(
                        "a second stage is ALREADY_EXISTS",
                        "R85",
                        "stage.twice",
                        refusesRepeat(stage, Code.ALREADY_EXISTS)),
                planted(
                                "an unknown volume is staged",
                                "R86",
                                "stage.unknown-volume",
                                pretends(stage, Code.NOT_FOUND, staged))
                        .warns(),
                planted(
                                "another access type is ignored",
                                "R86",
                                "stage.other-capability",
                                pretends(stage, Code.ALREADY_EXISTS, staged))
                        .warns(),
                planted(
                        "a missing volume id succeeds",
                        "R22",
                        "unstage.no-id",
                        pretends(unstage, Code.INVALID_ARGUMENT, unstaged)),
                planted(
                        "a missing staging path succeeds",
                        "R22",
                        "unstage.no-path",
                        pretends(unstage, Code.INVALID_ARGUMENT, unstaged)),
                planted("a second unstage is INTERNAL", "R87", "unstage.twice", refusesRepeat(unstage, Code.INTERNAL)),
                planted(
                        "unstaging an unstaged volume is NOT_FOUND",
                        "R87",
                        "unstage.not-staged",
                        unknownUntil(NodeStageVolumeRequest.class, unstage)),
                planted(
                        "a volume is staged only once in its life",
                        "R43",
                        "unstage.stage-again",
                        refusesRepeat(stage, Code.INTERNAL)));
    }

    /** An undo is NOT_FOUND before there was anything to undo. */
    private static Supplier<Behaviour> unknownUntil(Class<? extends Message> action, Class<? extends Message> undo) {
        return () -> {
            AtomicInteger done = new AtomicInteger();
            return call -> {
                if (action.isInstance(call.request())) {
                    done.incrementAndGet();
                }
                if (undo.isInstance(call.request()) && done.get() == 0) {
                    throw error(Code.NOT_FOUND);
                }
                return call.forward();
            };
        };
    }

    private static List<Defect> publishes() {
        Class<NodePublishVolumeRequest> publish = NodePublishVolumeRequest.class;
        Class<NodeUnpublishVolumeRequest> unpublish = NodeUnpublishVolumeRequest.class;
        var published = NodePublishVolumeResponse.getDefaultInstance();
        var unpublished = NodeUnpublishVolumeResponse.getDefaultInstance();
        return List.of(
                planted(
                        "a missing volume id is NOT_FOUND",
                        "R22",
                        "publish.no-id",
                        refuses(publish, one -> one.getVolumeId().isEmpty(), Code.NOT_FOUND)),
                planted(
                        "a missing target is ignored",
                        "R22",
                        "publish.no-target",
                        pretends(publish, Code.INVALID_ARGUMENT, published)),
                planted(
                        "a missing capability is NOT_FOUND",
                        "R22",
                        "publish.no-capability",
                        refuses(publish, one -> !one.hasVolumeCapability(), Code.NOT_FOUND)),
                planted(
                                "a missing staging path is ignored",
                                "R90",
                                "publish.no-staging-path",
                                pretends(publish, Code.FAILED_PRECONDITION, published))
                        .warns(),
                planted("nothing is made at the target", "R88", "publish.makes-target", ignores(publish, published)),
                planted(
                        "the target is a link to another directory",
                        "R88",
                        "publish.no-link",
                        () -> NodeDefects::linkTarget),
                planted("OK is answered, and nothing is mounted at the target", "R88", "publish.mounts", Defect.none())
                        .in(Variant.EXPECT_MOUNTS),
                planted(
                        "paths of more than 128 bytes are refused",
                        "R20",
                        "publish.long-path",
                        refuses(publish, one -> one.getTargetPath().length() > 128, Code.INVALID_ARGUMENT)),
                planted(
                                "an unknown volume is published",
                                "R90",
                                "publish.unknown-volume",
                                pretends(publish, Code.NOT_FOUND, published))
                        .warns(),
                planted(
                        "a missing volume id succeeds",
                        "R22",
                        "unpublish.no-id",
                        pretends(unpublish, Code.INVALID_ARGUMENT, unpublished)),
                planted(
                        "a missing target succeeds",
                        "R22",
                        "unpublish.no-target",
                        pretends(unpublish, Code.INVALID_ARGUMENT, unpublished)),
                planted("the target stays", "R91", "unpublish.removes-target", ignores(unpublish, unpublished)),
                planted(
                        "a second unpublish is INTERNAL",
                        "R91",
                        "unpublish.twice",
                        refusesRepeat(unpublish, Code.INTERNAL)),
                planted(
                        "a volume is published only once in its life",
                        "R43",
                        "unpublish.publish-again",
                        refusesRepeat(publish, Code.INTERNAL)),
                planted("a target is a file for a mount volume", "R88", "publish.makes-target", () -> call -> {
                    Message answer = call.forward();
                    if (call.request() instanceof NodePublishVolumeRequest one) {
                        Targets.replaceByFile(one.getTargetPath());
                    }
                    return answer;
                }));
    }

    private static List<Defect> secondPublishes() {
        Class<NodePublishVolumeRequest> publish = NodePublishVolumeRequest.class;
        var published = NodePublishVolumeResponse.getDefaultInstance();
        return List.of(
                planted(
                        "the same target again is ALREADY_EXISTS",
                        "R89",
                        "second-publish.same-target",
                        refusesRepeat(publish, Code.ALREADY_EXISTS)),
                planted(
                        "publishes of a target are counted",
                        "R91",
                        "second-publish.same-target-ten-times",
                        NodeDefects::counted),
                planted(
                        "other secrets are ALREADY_EXISTS",
                        "R89",
                        "second-publish.other-secrets",
                        refuses(publish, one -> one.containsSecrets("csi4j-extra"), Code.ALREADY_EXISTS)),
                planted(
                                "another readonly is ignored",
                                "R89",
                                "second-publish.other-readonly",
                                pretends(publish, Code.ALREADY_EXISTS, published))
                        .warns(),
                planted(
                        "a single writer gets a second target",
                        "R89",
                        "second-publish.single-writer",
                        pretends(publish, Code.FAILED_PRECONDITION, published)),
                planted(
                                "SINGLE_NODE_WRITER gets a second target",
                                "R89",
                                "second-publish.writer",
                                pretends(publish, Code.FAILED_PRECONDITION, published))
                        .warns(),
                planted(
                                "SINGLE_NODE_MULTI_WRITER gets one target only",
                                "R89",
                                "second-publish.multi-writer",
                                oneTarget(Mode.SINGLE_NODE_MULTI_WRITER))
                        .warns(),
                planted(
                                "SINGLE_NODE_MULTI_WRITER gets no readonly target beside",
                                "R89",
                                "second-publish.multi-writer-readonly",
                                oneTarget(Mode.SINGLE_NODE_MULTI_WRITER))
                        .warns(),
                planted(
                                "MULTI_NODE_MULTI_WRITER gets one target only",
                                "R89",
                                "second-publish.multi-node-multi-writer",
                                oneTarget(Mode.MULTI_NODE_MULTI_WRITER))
                        .warns(),
                planted(
                                "MULTI_NODE_READER_ONLY gets one target only",
                                "R89",
                                "second-publish.multi-node-reader-only",
                                oneTarget(Mode.MULTI_NODE_READER_ONLY))
                        .warns(),
                planted(
                                "MULTI_NODE_SINGLE_WRITER gets one target only",
                                "R89",
                                "second-publish.multi-node-single-writer",
                                oneTarget(Mode.MULTI_NODE_SINGLE_WRITER))
                        .warns());
    }

    private static Supplier<Behaviour> oneTarget(Mode mode) {
        return () -> {
            Set<String> published = ConcurrentHashMap.newKeySet();
            return call -> {
                boolean second = call.request() instanceof NodePublishVolumeRequest one
                        && one.getVolumeCapability().getAccessMode().getMode() == mode
                        && !published.add(one.getVolumeId());
                if (second) {
                    throw error(Code.FAILED_PRECONDITION);
                }
                return call.forward();
            };
        };
    }

    private static Behaviour counted() {
        Map<String, Integer> counts = new ConcurrentHashMap<>();
        return call -> {
            if (call.request() instanceof NodePublishVolumeRequest one) {
                counts.merge(one.getTargetPath(), 1, Integer::sum);
            }
            if (call.request() instanceof NodeUnpublishVolumeRequest one
                    && counts.merge(one.getTargetPath(), -1, Integer::sum) > 0) {
                return NodeUnpublishVolumeResponse.getDefaultInstance();
            }
            return call.forward();
        };
    }

    private static List<Defect> stats() {
        Class<NodeGetVolumeStatsRequest> asked = NodeGetVolumeStatsRequest.class;
        var none = NodeGetVolumeStatsResponse.getDefaultInstance();
        Class<NodeExpandVolumeRequest> expand = NodeExpandVolumeRequest.class;
        var expanded = NodeExpandVolumeResponse.getDefaultInstance();
        return List.of(
                planted(
                        "a missing id is NOT_FOUND",
                        "R22",
                        "stats.no-id",
                        code(asked, Code.INVALID_ARGUMENT, Code.NOT_FOUND)),
                planted(
                        "a missing path is ignored",
                        "R22",
                        "stats.no-path",
                        pretends(asked, Code.INVALID_ARGUMENT, none)),
                planted(
                        "an unknown volume has statistics",
                        "R92",
                        "stats.unknown-volume",
                        pretends(asked, Code.NOT_FOUND, none)),
                planted(
                        "an unknown path has statistics",
                        "R92",
                        "stats.unknown-path",
                        pretends(asked, Code.NOT_FOUND, none)),
                planted(
                        "usage is negative",
                        "R92",
                        "stats.values",
                        answer(
                                NodeGetVolumeStatsResponse.class,
                                one -> one.toBuilder()
                                        .addUsage(VolumeUsage.newBuilder()
                                                .setUnit(VolumeUsage.Unit.BYTES)
                                                .setUsed(-1))
                                        .build())),
                planted(
                        "usage has no unit",
                        "R92",
                        "stats.values",
                        answer(
                                NodeGetVolumeStatsResponse.class,
                                one -> one.toBuilder()
                                        .addUsage(VolumeUsage.newBuilder().setUsed(1))
                                        .build())),
                planted(
                        "a missing id is NOT_FOUND",
                        "R22",
                        "node-expand.no-id",
                        code(expand, Code.INVALID_ARGUMENT, Code.NOT_FOUND)),
                planted(
                        "a missing path is ignored",
                        "R22",
                        "node-expand.no-path",
                        pretends(expand, Code.INVALID_ARGUMENT, expanded)),
                planted(
                        "an unknown volume is expanded",
                        "R95",
                        "node-expand.unknown",
                        pretends(expand, Code.NOT_FOUND, expanded)),
                planted(
                        "the node expands less than requested",
                        "R94",
                        "node-expand.works",
                        answer(
                                NodeExpandVolumeResponse.class,
                                one -> one.toBuilder().setCapacityBytes(1).build())),
                planted(
                        "a second expansion on the node is refused",
                        "R94",
                        "node-expand.works",
                        refusesRepeat(expand, Code.FAILED_PRECONDITION)),
                planted(
                        "a health entry has no reason",
                        "R104",
                        "health.controller",
                        answer(
                                ControllerGetVolumeHealthResponse.class,
                                one -> one.toBuilder()
                                        .setVolumeHealth(one.getVolumeHealth().toBuilder()
                                                .addHealthStatuses(VolumeHealth.VolumeHealthEntry.newBuilder()
                                                        .setStatus(VolumeHealthErrorType.forNumber(1))))
                                        .build())),
                planted(
                        "the health is of another volume",
                        "R104",
                        "health.node",
                        answer(
                                NodeGetVolumeHealthResponse.class,
                                one -> one.toBuilder()
                                        .setVolumeHealth(one.getVolumeHealth().toBuilder()
                                                .setVolumeId("other"))
                                        .build())),
                planted(
                        "an entry of the backend has no status",
                        "R104",
                        "health.storage",
                        answer(
                                NodeGetStorageHealthResponse.class,
                                one -> one.toBuilder()
                                        .addBackendHealth(NodeGetStorageHealthResponse.StorageBackendHealth.newBuilder()
                                                .setReason("Unknown"))
                                        .build())),
                planted(
                        "next_token is always the same",
                        "R70",
                        "health.list",
                        endless(ControllerListVolumeHealthRequest.class, one -> "same")),
                planted(
                                "a healthy volume is listed",
                                "R104",
                                "health.list",
                                answer(
                                        ControllerListVolumeHealthResponse.class,
                                        one -> one.toBuilder()
                                                .addEntries(VolumeHealth.newBuilder()
                                                        .setVolumeId("healthy"))
                                                .build()))
                        .warns());
    }

    private static Supplier<Behaviour> snapshot(UnaryOperator<Snapshot.Builder> change) {
        return answer(
                CreateSnapshotResponse.class,
                one -> one.toBuilder()
                        .setSnapshot(change.apply(one.getSnapshot().toBuilder()))
                        .build());
    }

    private static List<Defect> snapshots() {
        AtomicInteger counter = new AtomicInteger();
        Class<CreateSnapshotRequest> asked = CreateSnapshotRequest.class;
        Class<DeleteSnapshotRequest> delete = DeleteSnapshotRequest.class;
        var some = CreateSnapshotResponse.newBuilder()
                .setSnapshot(Snapshot.newBuilder().setSnapshotId("some").setReadyToUse(true))
                .build();
        return List.of(
                planted(
                        "a missing name is NOT_FOUND",
                        "R22",
                        "snapshot.no-name",
                        code(asked, Code.INVALID_ARGUMENT, Code.NOT_FOUND)),
                planted(
                        "a missing source is ignored",
                        "R22",
                        "snapshot.no-source",
                        pretends(asked, Code.INVALID_ARGUMENT, some)),
                planted(
                        "a snapshot of an unknown volume is made",
                        "R79",
                        "snapshot.unknown-source",
                        pretends(asked, Code.NOT_FOUND, some)),
                planted(
                        "the snapshot id is missing",
                        "R76",
                        "snapshot.values",
                        snapshot(Snapshot.Builder::clearSnapshotId)),
                planted(
                        "the creation time is missing",
                        "R76",
                        "snapshot.values",
                        snapshot(Snapshot.Builder::clearCreationTime)),
                planted(
                        "a snapshot names another source",
                        "R76",
                        "snapshot.values",
                        snapshot(one -> one.setSourceVolumeId("other"))),
                planted(
                        "the size of a snapshot is negative",
                        "R23",
                        "snapshot.values",
                        snapshot(one -> one.setSizeBytes(-1))),
                planted(
                        "each call makes a snapshot",
                        "R76",
                        "snapshot.same-name",
                        request(
                                asked,
                                one -> one.getName().isEmpty()
                                        ? one
                                        : one.toBuilder()
                                                .setName(one.getName() + counter.incrementAndGet())
                                                .build())),
                planted("the creation time differs from call to call", "R76", "snapshot.same-name", snapshot(one -> {
                    one.getCreationTimeBuilder().setSeconds(counter.incrementAndGet());
                    return one;
                })),
                planted(
                        "all names return one snapshot",
                        "R76",
                        "snapshot.two-names",
                        request(asked, one -> one.toBuilder().setName("one").build())),
                planted(
                        "another source returns the existing snapshot",
                        "R79",
                        "snapshot.other-source",
                        pretends(asked, Code.ALREADY_EXISTS, some)),
                planted(
                        "names of 128 bytes are refused",
                        "R16",
                        "snapshot.longest-name",
                        refuses(asked, one -> one.getName().length() > 100, Code.INVALID_ARGUMENT)),
                planted(
                        "a missing id succeeds",
                        "R22",
                        "delete-snapshot.no-id",
                        pretends(delete, Code.INVALID_ARGUMENT, DeleteSnapshotResponse.getDefaultInstance())),
                planted(
                        "an unknown snapshot is NOT_FOUND",
                        "R80",
                        "delete-snapshot.unknown",
                        refuses(delete, one -> one.getSnapshotId().contains("unknown"), Code.NOT_FOUND)),
                planted(
                        "a second delete is NOT_FOUND",
                        "R80",
                        "delete-snapshot.twice",
                        refusesRepeat(delete, Code.NOT_FOUND)),
                planted(
                        "the name of a deleted snapshot stays taken",
                        "R80",
                        "delete-snapshot.name-again",
                        ignores(delete, DeleteSnapshotResponse.getDefaultInstance())));
    }

    private static List<Defect> snapshotLists() {
        Class<ListSnapshotsRequest> asked = ListSnapshotsRequest.class;
        Class<ListSnapshotsResponse> listed = ListSnapshotsResponse.class;
        return List.of(
                planted(
                        "the filter by id is ignored",
                        "R81",
                        "list-snapshots.by-id",
                        request(asked, one -> one.toBuilder().clearSnapshotId().build())),
                planted(
                        "the filter by source is ignored",
                        "R81",
                        "list-snapshots.by-source",
                        request(
                                asked,
                                one -> one.toBuilder().clearSourceVolumeId().build())),
                planted(
                        "an unknown id is NOT_FOUND",
                        "R81",
                        "list-snapshots.unknown",
                        refuses(asked, one -> one.getSnapshotId().contains("unknown"), Code.NOT_FOUND)),
                planted(
                        "an unknown id returns all snapshots",
                        "R81",
                        "list-snapshots.unknown",
                        request(asked, one -> one.toBuilder().clearSnapshotId().build())),
                planted(
                        "the list is always empty",
                        "R81",
                        "list-snapshots.created-and-deleted",
                        answer(listed, one -> one.toBuilder().clearEntries().build())),
                planted(
                        "deleted snapshots are listed",
                        "R81",
                        "list-snapshots.created-and-deleted",
                        ignores(DeleteSnapshotRequest.class, DeleteSnapshotResponse.getDefaultInstance())),
                planted(
                        "max_entries is ignored",
                        "R70",
                        "list-snapshots.pages",
                        request(asked, one -> one.toBuilder().clearMaxEntries().build())),
                planted(
                        "next_token is missing",
                        "R70",
                        "list-snapshots.pages",
                        answer(listed, one -> one.toBuilder().clearNextToken().build())),
                planted("next_token is always the same", "R70", "list-snapshots.pages", endless(asked, one -> "same")),
                planted(
                        "next_token is always another one",
                        "R70",
                        "list-snapshots.pages",
                        endless(asked, one -> one.getStartingToken() + "n")),
                planted(
                        "a bad token is NOT_FOUND",
                        "R72",
                        "list-snapshots.bad-token",
                        code(asked, Code.ABORTED, Code.NOT_FOUND)),
                planted(
                        "another snapshot is returned",
                        "R81",
                        "get-snapshot.works",
                        answer(
                                GetSnapshotResponse.class,
                                one -> one.toBuilder()
                                        .setSnapshot(Snapshot.newBuilder().setSnapshotId("other"))
                                        .build())),
                planted(
                        "an unknown snapshot is returned",
                        "R81",
                        "get-snapshot.unknown",
                        pretends(GetSnapshotRequest.class, Code.NOT_FOUND, GetSnapshotResponse.getDefaultInstance())));
    }

    private static Supplier<Behaviour> group(UnaryOperator<VolumeGroupSnapshot.Builder> change) {
        return answer(
                CreateVolumeGroupSnapshotResponse.class,
                one -> one.toBuilder()
                        .setGroupSnapshot(change.apply(one.getGroupSnapshot().toBuilder()))
                        .build());
    }

    private static List<Defect> groups() {
        AtomicInteger counter = new AtomicInteger();
        Class<CreateVolumeGroupSnapshotRequest> asked = CreateVolumeGroupSnapshotRequest.class;
        Class<DeleteVolumeGroupSnapshotRequest> delete = DeleteVolumeGroupSnapshotRequest.class;
        Class<GetVolumeGroupSnapshotRequest> get = GetVolumeGroupSnapshotRequest.class;
        var deleted = DeleteVolumeGroupSnapshotResponse.getDefaultInstance();
        return List.of(
                planted(
                        "a missing name is replaced",
                        "R22",
                        "group.no-name",
                        pretends(asked, Code.INVALID_ARGUMENT, CreateVolumeGroupSnapshotResponse.getDefaultInstance())),
                planted(
                        "a volume of the group is left out",
                        "R97",
                        "group.works",
                        group(one -> one.removeSnapshots(0))),
                planted("snapshots have not the id of their group", "R97", "group.works", group(one -> {
                    one.getSnapshotsBuilderList().forEach(Snapshot.Builder::clearGroupSnapshotId);
                    return one;
                })),
                planted(
                        "the creation time of the group is missing",
                        "R97",
                        "group.works",
                        group(VolumeGroupSnapshot.Builder::clearCreationTime)),
                planted(
                        "each call makes a group",
                        "R97",
                        "group.same-name",
                        request(
                                asked,
                                one -> one.getName().isEmpty()
                                        ? one
                                        : one.toBuilder()
                                                .setName(one.getName() + counter.incrementAndGet())
                                                .build())),
                planted(
                        "other sources return the existing group",
                        "R99",
                        "group.other-sources",
                        pretends(asked, Code.ALREADY_EXISTS, CreateVolumeGroupSnapshotResponse.getDefaultInstance())),
                planted(
                        "an unknown volume is left out of the group",
                        "R99",
                        "group.unknown-source",
                        pretends(asked, Code.NOT_FOUND, CreateVolumeGroupSnapshotResponse.getDefaultInstance())),
                planted(
                        "an unknown group is returned",
                        "R100",
                        "group.get-unknown",
                        pretends(get, Code.NOT_FOUND, GetVolumeGroupSnapshotResponse.getDefaultInstance())),
                planted(
                        "another group is returned",
                        "R100",
                        "group.get",
                        answer(
                                GetVolumeGroupSnapshotResponse.class,
                                one -> one.toBuilder()
                                        .setGroupSnapshot(
                                                VolumeGroupSnapshot.newBuilder().setGroupSnapshotId("other"))
                                        .build())),
                planted(
                        "an unknown group cannot be deleted",
                        "R100",
                        "group.delete-unknown",
                        refuses(delete, one -> one.getGroupSnapshotId().contains("unknown"), Code.NOT_FOUND)),
                planted("a deleted group is still there", "R100", "group.delete-twice", ignores(delete, deleted)),
                planted(
                                "an incomplete list of snapshots is ignored",
                                "R100",
                                "group.incomplete-delete",
                                pretends(delete, Code.INVALID_ARGUMENT, deleted))
                        .warns(),
                planted(
                        "a member of a group is deleted alone",
                        "R80",
                        "group.delete-member",
                        pretends(
                                DeleteSnapshotRequest.class,
                                Code.INVALID_ARGUMENT,
                                DeleteSnapshotResponse.getDefaultInstance())));
    }

    private static List<Defect> streams() {
        return List.of(
                stream(
                        "a range begins before the end of the one before",
                        "R101",
                        "metadata.allocated",
                        allocated(0, 8, 4, 8)),
                stream(
                        "a range ends behind the end of the volume",
                        "R101",
                        "metadata.allocated",
                        allocated(0, 1L << 40)),
                stream("a range has no bytes", "R101", "metadata.allocated", allocated(0, 0)),
                stream(
                        "the type of the ranges is missing",
                        "R101",
                        "metadata.delta",
                        message -> message instanceof GetMetadataDeltaResponse one
                                ? one.toBuilder().clearBlockMetadataType().build()
                                : message),
                stream("starting_offset is ignored", "R102", "metadata.resume", allocated(0, 8)),
                stream(
                                "an offset behind the end is ignored",
                                "R103",
                                "metadata.bad-offset",
                                message -> message instanceof GetMetadataAllocatedRequest one
                                        ? one.toBuilder().clearStartingOffset().build()
                                        : message)
                        .warns(),
                stream(
                        "an unknown snapshot has no id",
                        "R103",
                        "metadata.unknown",
                        message -> message instanceof GetMetadataAllocatedRequest one
                                ? one.toBuilder().clearSnapshotId().build()
                                : message));
    }

    private static Defect stream(String text, String rule, String check, UnaryOperator<Message> change) {
        return planted(text, rule, check, Defect.none()).in(Variant.BLOCK).streaming(change);
    }

    /** Replaces the ranges of each message: offset and size in turn. */
    private static UnaryOperator<Message> allocated(long... ranges) {
        return message -> {
            if (!(message instanceof GetMetadataAllocatedResponse one)) {
                return message;
            }
            GetMetadataAllocatedResponse.Builder changed = one.toBuilder().clearBlockMetadata();
            for (int i = 0; i < ranges.length; i += 2) {
                changed.addBlockMetadata(
                        BlockMetadata.newBuilder().setByteOffset(ranges[i]).setSizeBytes(ranges[i + 1]));
            }
            return changed.build();
        };
    }

    private static List<Defect> texts() {
        return List.of(
                planted(
                                "Identity refuses fields that it does not know",
                                "R3",
                                "unknown-fields.identity",
                                refusesNewer(GetPluginInfoRequest.class))
                        .warns(),
                planted(
                                "CreateVolume refuses fields that it does not know",
                                "R3",
                                "unknown-fields.create",
                                refusesNewer(CreateVolumeRequest.class))
                        .warns(),
                planted(
                                "NodePublishVolume refuses fields that it does not know",
                                "R3",
                                "unknown-fields.node",
                                refusesNewer(NodePublishVolumeRequest.class))
                        .warns(),
                planted(
                        "secrets that are not needed are refused",
                        "R35",
                        "secrets.extra",
                        refuses(
                                CreateVolumeRequest.class,
                                one -> one.containsSecrets("csi4j-extra"),
                                Code.INVALID_ARGUMENT)),
                planted(
                                "secrets of 4 KiB are refused",
                                "R16",
                                "secrets.large",
                                refuses(
                                        CreateVolumeRequest.class,
                                        one -> one.getSecretsMap().toString().length() > 2000,
                                        Code.INVALID_ARGUMENT))
                        .warns(),
                planted("messages repeat secrets", "R35", "secrets.not-shown", () -> call -> {
                    try {
                        return call.forward();
                    } catch (StatusRuntimeException e) {
                        throw Status.fromCode(e.getStatus().getCode())
                                .withDescription("bad request: " + call.request())
                                .asRuntimeException();
                    }
                }),
                required("CreateVolume", "secrets.required-create"),
                required("DeleteVolume", "secrets.required-delete"),
                required("ControllerPublishVolume", "secrets.required-controller-publish"),
                required("NodeStageVolume", "secrets.required-stage"),
                required("NodePublishVolume", "secrets.required-publish"),
                required("CreateSnapshot", "secrets.required-snapshot"),
                required("ControllerExpandVolume", "secrets.required-expand"),
                required("ControllerModifyVolume", "secrets.required-modify"));
    }

    private static Defect required(String rpc, String check) {
        // The fake itself needs no secrets.
        return planted(rpc + " needs no secrets although it should", "R33", check, Defect.none())
                .in(Variant.SECRETS);
    }

    private static Supplier<Behaviour> refusesNewer(Class<? extends Message> type) {
        return () -> call -> {
            if (type.isInstance(call.request())
                    && !call.request().getUnknownFields().asMap().isEmpty()) {
                throw error(Code.INVALID_ARGUMENT);
            }
            return call.forward();
        };
    }

    private static List<Defect> simultaneous() {
        AtomicInteger counter = new AtomicInteger();
        return List.of(
                planted(
                                "simultaneous calls with one name make two volumes",
                                "R27",
                                "concurrent.create-same-name",
                                overlapping(
                                        CreateVolumeRequest.class,
                                        (call, one) -> call.forward(one.toBuilder()
                                                .setName(one.getName() + counter.incrementAndGet())
                                                .build())))
                        .warns(),
                planted(
                                "simultaneous calls with one name make two snapshots",
                                "R27",
                                "concurrent.snapshot",
                                overlapping(
                                        CreateSnapshotRequest.class,
                                        (call, one) -> call.forward(one.toBuilder()
                                                .setName(one.getName() + counter.incrementAndGet())
                                                .build())))
                        .warns(),
                planted(
                                "simultaneous publishes return different contexts",
                                "R27",
                                "concurrent.controller-publish",
                                overlapping(
                                        ControllerPublishVolumeRequest.class,
                                        (call, one) -> ControllerPublishVolumeResponse.newBuilder()
                                                .putPublishContext("call", "c" + counter.incrementAndGet())
                                                .build()))
                        .warns(),
                planted(
                        "simultaneous creations return one volume",
                        "R26",
                        "concurrent.create-many",
                        request(
                                CreateVolumeRequest.class,
                                one -> one.toBuilder().setName("one").build())),
                planted(
                                "simultaneous deletes are INTERNAL",
                                "R27",
                                "concurrent.delete",
                                overlapping(DeleteVolumeRequest.class, (call, one) -> {
                                    throw error(Code.INTERNAL);
                                }))
                        .warns(),
                planted(
                                "simultaneous stages are INTERNAL",
                                "R27",
                                "concurrent.stage",
                                overlapping(NodeStageVolumeRequest.class, (call, one) -> {
                                    throw error(Code.INTERNAL);
                                }))
                        .warns(),
                planted("simultaneous publishes leave a target", "R27", "concurrent.publish", NodeDefects::counted)
                        .warns());
    }

    /** The answer to a call that comes while the same one is pending. */
    private interface Overlap<Q> {
        Message answer(FaultyFake.Call call, Q request);
    }

    /** Holds a call until a second one comes, at most for a short time. */
    private static <Q extends Message> Supplier<Behaviour> overlapping(Class<Q> type, Overlap<Q> second) {
        return () -> {
            Map<Message, CountDownLatch> pending = new ConcurrentHashMap<>();
            return call -> {
                if (!type.isInstance(call.request())) {
                    return call.forward();
                }
                var own = new CountDownLatch(1);
                var first = pending.putIfAbsent(call.request(), own);
                if (first != null) {
                    Message answer = second.answer(call, type.cast(call.request()));
                    first.countDown();
                    return answer;
                }
                try {
                    own.await(200, TimeUnit.MILLISECONDS);
                    return call.forward();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw error(Code.INTERNAL);
                } finally {
                    pending.remove(call.request());
                }
            };
        };
    }

    private static List<Defect> lost() {
        return List.of(
                planted(
                        "a lost answer of CreateVolume breaks the name",
                        "R29",
                        "replay.create",
                        breaksWhenLost(CreateVolumeRequest.class)),
                planted(
                        "a lost answer of CreateVolume leaves a volume",
                        "R51",
                        "replay.create-leaves-nothing",
                        () -> NodeDefects::leavesOne),
                planted(
                        "a lost answer of DeleteVolume breaks the volume",
                        "R29",
                        "replay.delete",
                        breaksWhenLost(DeleteVolumeRequest.class)),
                planted(
                        "a lost answer of ControllerPublishVolume breaks the volume",
                        "R29",
                        "replay.controller-publish",
                        breaksWhenLost(ControllerPublishVolumeRequest.class)),
                planted(
                        "a lost answer of ControllerUnpublishVolume breaks the volume",
                        "R29",
                        "replay.controller-unpublish",
                        breaksWhenLost(ControllerUnpublishVolumeRequest.class)),
                planted(
                        "a lost answer of ControllerExpandVolume breaks the volume",
                        "R29",
                        "replay.expand",
                        breaksWhenLost(ControllerExpandVolumeRequest.class)),
                planted(
                        "a lost answer of ControllerModifyVolume breaks the volume",
                        "R29",
                        "replay.modify",
                        breaksWhenLost(ControllerModifyVolumeRequest.class)),
                planted(
                        "a lost answer of CreateSnapshot breaks the name",
                        "R29",
                        "replay.snapshot",
                        breaksWhenLost(CreateSnapshotRequest.class)),
                planted(
                        "a lost answer of DeleteSnapshot breaks the snapshot",
                        "R29",
                        "replay.delete-snapshot",
                        breaksWhenLost(DeleteSnapshotRequest.class)),
                planted(
                        "a lost answer of CreateVolumeGroupSnapshot breaks the name",
                        "R29",
                        "replay.group",
                        breaksWhenLost(CreateVolumeGroupSnapshotRequest.class)),
                planted(
                        "a lost answer of DeleteVolumeGroupSnapshot breaks the group",
                        "R29",
                        "replay.delete-group",
                        breaksWhenLost(DeleteVolumeGroupSnapshotRequest.class)),
                planted(
                        "a lost answer of NodeStageVolume breaks the volume",
                        "R29",
                        "replay.stage",
                        breaksWhenLost(NodeStageVolumeRequest.class)),
                planted(
                        "a lost answer of NodeUnstageVolume breaks the volume",
                        "R29",
                        "replay.unstage",
                        breaksWhenLost(NodeUnstageVolumeRequest.class)),
                planted(
                        "a lost answer of NodePublishVolume breaks the volume",
                        "R29",
                        "replay.publish",
                        breaksWhenLost(NodePublishVolumeRequest.class)),
                planted(
                        "a lost answer of NodeUnpublishVolume breaks the volume",
                        "R29",
                        "replay.unpublish",
                        breaksWhenLost(NodeUnpublishVolumeRequest.class)));
    }

    /** A creation whose answer is lost is completed under another name. */
    private static Message leavesOne(FaultyFake.Call call) {
        if (call.request() instanceof CreateVolumeRequest one && call.cancelledWithin(Defect.LOST_MILLIS)) {
            return call.forward(one.toBuilder().setName(one.getName() + "-lost").build());
        }
        return call.forward();
    }

    private static List<Defect> restarts() {
        AtomicInteger counter = new AtomicInteger();
        return List.of(
                planted("volumes are forgotten at a restart", "R57", "restart.keeps-volumes", Defect.none())
                        .in(Variant.RESTART_FORGETS),
                planted("snapshots are forgotten at a restart", "R76", "restart.keeps-snapshots", Defect.none())
                        .in(Variant.RESTART_FORGETS),
                planted("published volumes are forgotten at a restart", "R43", "restart.keeps-published", Defect.none())
                        .in(Variant.RESTART_FORGETS),
                planted(
                                "the plugin has another name after a restart",
                                "R37",
                                "restart.serves-again",
                                answer(
                                        GetPluginInfoResponse.class,
                                        one -> one.toBuilder()
                                                .setName("n" + counter.incrementAndGet())
                                                .build()))
                        .in(Variant.RESTART_KEEPS),
                planted(
                                "a name is new after each restart",
                                "R51",
                                "restart.in-create",
                                request(
                                        CreateVolumeRequest.class,
                                        one -> one.toBuilder()
                                                .setName(one.getName() + counter.incrementAndGet())
                                                .build()))
                        .in(Variant.RESTART_KEEPS));
    }
}
