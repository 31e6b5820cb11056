package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.MethodDescriptor;
import java.util.HashSet;
import java.util.function.Function;

/**
 * Checks how a plugin handles a repeated call. For each RPC that changes something, a check drops the answer and sends
 * the same call again.
 */
final class ReplayChecks {
    private static final int[] LOST_AFTER_MILLIS = {0, 1, 5};

    private ReplayChecks() {}

    static void addTo(Checks checks) {
        controller(checks);
        snapshots(checks);
        node(checks);
    }

    /**
     * Makes a call and drops its answer, then repeats the call until it succeeds, and once more to compare the two
     * answers.
     */
    private static <Q extends Message, S extends Message> S replay(
            Run run, MethodDescriptor<Q, S> method, Q request, int millis, Function<S, ?> same) {
        run.calls().loseAnswer(method, request, millis);
        S first = run.calls().eventually(() -> run.calls().call(method, request));
        S second = run.calls().call(method, request);
        run.must(
                same.apply(first).equals(same.apply(second)),
                method.getBareMethodName() + " answered differently when it was repeated");
        return second;
    }

    private static <Q extends Message, S extends Message> void replay(
            Run run, MethodDescriptor<Q, S> method, Q request, int millis) {
        replay(run, method, request, millis, answer -> answer);
    }

    private static void controller(Checks checks) {
        checks.check("replay.create", "CreateVolume after a lost answer returns one volume", R29, R30, R51)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    for (int millis : LOST_AFTER_MILLIS) {
                        CreateVolumeRequest request =
                                run.createRequest("replay").build();
                        Volume volume = replay(
                                        run,
                                        ControllerGrpc.getCreateVolumeMethod(),
                                        request,
                                        millis,
                                        answer -> answer.getVolume().getVolumeId())
                                .getVolume();
                        run.deleteAtEnd(volume.getVolumeId());
                    }
                });
        checks.check(
                        "replay.create-leaves-nothing",
                        "After a lost answer, repeat and delete leave no volume",
                        R30,
                        R51,
                        R59)
                .needs(CREATE_DELETE_VOLUME, LIST_VOLUMES)
                .run(run -> {
                    var before = VolumeLists.all(run).keySet();
                    for (int millis : LOST_AFTER_MILLIS) {
                        CreateVolumeRequest request =
                                run.createRequest("replay").build();
                        run.calls().loseAnswer(ControllerGrpc.getCreateVolumeMethod(), request, millis);
                        Volume volume = run.calls()
                                .eventually(() -> run.controller().createVolume(request))
                                .getVolume();
                        run.deleteAtEnd(volume.getVolumeId());
                        run.controller().deleteVolume(run.deleteRequest(volume.getVolumeId()));
                    }
                    var after = new HashSet<>(VolumeLists.all(run).keySet());
                    after.removeAll(before);
                    after.forEach(run::deleteAtEnd);
                    run.must(after.isEmpty(), "the list has volumes that were not there before: " + after);
                });
        checks.check("replay.delete", "DeleteVolume after a lost answer succeeds", R29, R59)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    for (int millis : LOST_AFTER_MILLIS) {
                        var request = run.deleteRequest(run.volume("replay").getVolumeId());
                        replay(run, ControllerGrpc.getDeleteVolumeMethod(), request, millis);
                    }
                });
        checks.check(
                        "replay.controller-publish",
                        "ControllerPublishVolume after a lost answer returns one context",
                        R29,
                        R61)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID)
                .run(run -> {
                    for (int millis : LOST_AFTER_MILLIS) {
                        PublishSteps placement = run.place(run.volume("replay"));
                        placement.mayBeAttached();
                        replay(
                                run,
                                ControllerGrpc.getControllerPublishVolumeMethod(),
                                placement.attachRequest().build(),
                                millis);
                        placement.detach();
                    }
                });
        checks.check("replay.controller-unpublish", "ControllerUnpublishVolume after a lost answer succeeds", R29, R65)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID)
                .run(run -> {
                    for (int millis : LOST_AFTER_MILLIS) {
                        PublishSteps placement = run.place(run.volume("replay"));
                        placement.attach();
                        replay(
                                run,
                                ControllerGrpc.getControllerUnpublishVolumeMethod(),
                                placement.detachRequest(),
                                millis);
                    }
                });
        checks.check("replay.expand", "ControllerExpandVolume after a lost answer returns the same size", R29, R82)
                .needs(EXPAND_VOLUME, CREATE_DELETE_VOLUME)
                .run(run -> {
                    for (int millis : LOST_AFTER_MILLIS) {
                        Volume volume = run.volume("replay");
                        replay(
                                run,
                                ControllerGrpc.getControllerExpandVolumeMethod(),
                                ExpandAndModifyChecks.expandRequest(
                                                run, volume, ExpandAndModifyChecks.moreThan(run, volume))
                                        .build(),
                                millis,
                                ControllerExpandVolumeResponse::getCapacityBytes);
                    }
                });
        checks.check("replay.modify", "ControllerModifyVolume after a lost answer succeeds", R29, R74)
                .needs(MODIFY_VOLUME, MUTABLE_PARAMETERS, A_VOLUME)
                .run(run -> {
                    for (int millis : LOST_AFTER_MILLIS) {
                        replay(
                                run,
                                ControllerGrpc.getControllerModifyVolumeMethod(),
                                ExpandAndModifyChecks.modifyRequest(
                                                run, run.volume("replay").getVolumeId())
                                        .build(),
                                millis);
                    }
                });
    }

    private static void snapshots(Checks checks) {
        checks.check("replay.snapshot", "CreateSnapshot after a lost answer returns one snapshot", R29, R76)
                .needs(CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    Volume source = run.volume("replay");
                    for (int millis : LOST_AFTER_MILLIS) {
                        run.deleteSnapshotAtEnd(replay(
                                        run,
                                        ControllerGrpc.getCreateSnapshotMethod(),
                                        run.snapshotRequest(source).build(),
                                        millis,
                                        answer -> answer.getSnapshot().getSnapshotId())
                                .getSnapshot()
                                .getSnapshotId());
                    }
                });
        checks.check("replay.delete-snapshot", "DeleteSnapshot after a lost answer succeeds", R29, R80)
                .needs(CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    Volume source = run.volume("replay");
                    for (int millis : LOST_AFTER_MILLIS) {
                        replay(
                                run,
                                ControllerGrpc.getDeleteSnapshotMethod(),
                                run.deleteSnapshotRequest(run.snapshot(source).getSnapshotId()),
                                millis);
                    }
                });
        checks.check("replay.group", "CreateVolumeGroupSnapshot after a lost answer returns one group", R29, R97)
                .needs(GROUP_SNAPSHOTS, CREATE_DELETE_VOLUME)
                .run(run -> {
                    var sources = GroupAndMetadataChecks.twoVolumes(run);
                    for (int millis : LOST_AFTER_MILLIS) {
                        var request = GroupAndMetadataChecks.groupRequest(run, sources)
                                .build();
                        replay(
                                run,
                                GroupControllerGrpc.getCreateVolumeGroupSnapshotMethod(),
                                request,
                                millis,
                                answer -> answer.getGroupSnapshot().getGroupSnapshotId());
                        GroupAndMetadataChecks.group(run, request);
                    }
                });
        checks.check("replay.delete-group", "DeleteVolumeGroupSnapshot after a lost answer succeeds", R29, R100)
                .needs(GROUP_SNAPSHOTS, CREATE_DELETE_VOLUME)
                .run(run -> {
                    var sources = GroupAndMetadataChecks.twoVolumes(run);
                    for (int millis : LOST_AFTER_MILLIS) {
                        var group = GroupAndMetadataChecks.group(
                                run,
                                GroupAndMetadataChecks.groupRequest(run, sources)
                                        .build());
                        replay(
                                run,
                                GroupControllerGrpc.getDeleteVolumeGroupSnapshotMethod(),
                                GroupAndMetadataChecks.deleteRequest(run, group),
                                millis);
                    }
                });
    }

    private static void node(Checks checks) {
        checks.check("replay.stage", "NodeStageVolume after a lost answer succeeds", R29, R85)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME)
                .run(run -> {
                    for (int millis : LOST_AFTER_MILLIS) {
                        PublishSteps placement = run.place(run.volume("replay"));
                        placement.attach();
                        placement.mayBeStaged();
                        replay(
                                run,
                                NodeGrpc.getNodeStageVolumeMethod(),
                                placement.stageRequest().build(),
                                millis);
                        placement.down();
                    }
                });
        checks.check("replay.unstage", "NodeUnstageVolume after a lost answer succeeds", R29, R87)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME)
                .run(run -> {
                    for (int millis : LOST_AFTER_MILLIS) {
                        PublishSteps placement = run.place(run.volume("replay"));
                        placement.up();
                        replay(run, NodeGrpc.getNodeUnstageVolumeMethod(), placement.unstageRequest(), millis);
                        placement.down();
                    }
                });
        checks.check("replay.publish", "NodePublishVolume after a lost answer succeeds", R29, R89)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    for (int millis : LOST_AFTER_MILLIS) {
                        PublishSteps placement = run.place(run.volume("replay"));
                        placement.up();
                        replay(
                                run,
                                NodeGrpc.getNodePublishVolumeMethod(),
                                placement.publishRequest(placement.target("t")).build(),
                                millis);
                        placement.down();
                    }
                });
        checks.check("replay.unpublish", "NodeUnpublishVolume after a lost answer succeeds", R29, R91)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    for (int millis : LOST_AFTER_MILLIS) {
                        PublishSteps placement = run.bringUp(run.volume("replay"));
                        replay(
                                run,
                                NodeGrpc.getNodeUnpublishVolumeMethod(),
                                placement.unpublishRequest(placement.firstTarget()),
                                millis);
                        placement.down();
                    }
                });
        checks.check(
                        "replay.publish-then-unpublish",
                        "Unpublishing after a publish without an answer undoes it",
                        R30,
                        R91)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    for (int millis : LOST_AFTER_MILLIS) {
                        PublishSteps placement = run.place(run.volume("replay"));
                        placement.up();
                        var target = placement.target("t");
                        run.calls()
                                .loseAnswer(
                                        NodeGrpc.getNodePublishVolumeMethod(),
                                        placement.publishRequest(target).build(),
                                        millis);
                        var request = placement.unpublishRequest(target);
                        run.calls().eventually(() -> run.node().nodeUnpublishVolume(request));
                        placement.down();
                    }
                });
    }
}
