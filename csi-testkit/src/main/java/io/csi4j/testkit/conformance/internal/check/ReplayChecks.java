package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.internal.*;
import io.csi4j.testkit.conformance.internal.LostAnswers.Moment;
import io.grpc.MethodDescriptor;
import java.util.HashSet;
import java.util.function.Function;

/**
 * Checks how a plugin handles a repeated call. For each RPC that changes something, a check drops the answer and sends
 * the same call again.
 */
final class ReplayChecks {
    private ReplayChecks() {}

    static void addTo(Checks checks) {
        controller(checks);
        snapshots(checks);
        node(checks);
    }

    /** Loses the answer of a call, repeats the call until it succeeds, and once more to compare the two answers. */
    private static <Q extends Message, S extends Message> S replay(
            Run run, LostAnswers lost, MethodDescriptor<Q, S> method, Q request, Moment moment, Function<S, ?> same) {
        lost.lose(method, request, moment);
        S first = lost.repeat(R29, method, request);
        S second = run.succeeds(R29, () -> run.calls().call(method, request));
        run.must(
                same.apply(first).equals(same.apply(second)),
                method.getBareMethodName() + " answered differently when it was repeated");
        return second;
    }

    private static <Q extends Message, S extends Message> void replay(
            Run run, LostAnswers lost, MethodDescriptor<Q, S> method, Q request, Moment moment) {
        replay(run, lost, method, request, moment, answer -> answer);
    }

    private static void controller(Checks checks) {
        checks.check("replay.create", "CreateVolume after a lost answer returns one volume", R29, R30, R51)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    for (Moment moment : Moment.values()) {
                        CreateVolumeRequest request =
                                run.createRequest("replay").build();
                        Volume volume = replay(
                                        run,
                                        lost,
                                        ControllerGrpc.getCreateVolumeMethod(),
                                        request,
                                        moment,
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
                    LostAnswers lost = run.lostAnswers();
                    var before = VolumeLists.all(run).keySet();
                    for (Moment moment : Moment.values()) {
                        CreateVolumeRequest request =
                                run.createRequest("replay").build();
                        lost.lose(ControllerGrpc.getCreateVolumeMethod(), request, moment);
                        Volume volume = lost.repeat(R29, ControllerGrpc.getCreateVolumeMethod(), request)
                                .getVolume();
                        run.deleteAtEnd(volume.getVolumeId());
                        run.controller().deleteVolume(run.deleteRequest(volume.getVolumeId()));
                    }
                    var after = new HashSet<>(VolumeLists.all(run).keySet());
                    after.removeAll(before);
                    run.must(
                            R51,
                            after.isEmpty(),
                            "the list has volumes that were not there before, and that no other caller should have made: "
                                    + after);
                });
        checks.check("replay.delete", "DeleteVolume after a lost answer succeeds", R29, R59)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    for (Moment moment : Moment.values()) {
                        var request = run.deleteRequest(run.volume("replay").getVolumeId());
                        replay(run, lost, ControllerGrpc.getDeleteVolumeMethod(), request, moment);
                    }
                });
        checks.check(
                        "replay.controller-publish",
                        "ControllerPublishVolume after a lost answer returns one context",
                        R29,
                        R61)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    for (Moment moment : Moment.values()) {
                        PublishSteps placement = run.place(run.volume("replay"));
                        placement.mayBeAttached();
                        replay(
                                run,
                                lost,
                                ControllerGrpc.getControllerPublishVolumeMethod(),
                                placement.attachRequest().build(),
                                moment);
                        placement.detach();
                    }
                });
        checks.check("replay.controller-unpublish", "ControllerUnpublishVolume after a lost answer succeeds", R29, R65)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    for (Moment moment : Moment.values()) {
                        PublishSteps placement = run.place(run.volume("replay"));
                        placement.attach();
                        replay(
                                run,
                                lost,
                                ControllerGrpc.getControllerUnpublishVolumeMethod(),
                                placement.detachRequest(),
                                moment);
                    }
                });
        checks.check("replay.expand", "ControllerExpandVolume after a lost answer returns the same size", R29, R82)
                .needs(EXPAND_VOLUME, CREATE_DELETE_VOLUME)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    for (Moment moment : Moment.values()) {
                        Volume volume = run.volume("replay");
                        replay(
                                run,
                                lost,
                                ControllerGrpc.getControllerExpandVolumeMethod(),
                                ExpandAndModifyChecks.expandRequest(
                                                run, volume, ExpandAndModifyChecks.moreThan(run, volume))
                                        .build(),
                                moment,
                                ControllerExpandVolumeResponse::getCapacityBytes);
                    }
                });
        checks.check("replay.modify", "ControllerModifyVolume after a lost answer succeeds", R29, R74)
                .needs(MODIFY_VOLUME, MUTABLE_PARAMETERS, A_VOLUME)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    for (Moment moment : Moment.values()) {
                        replay(
                                run,
                                lost,
                                ControllerGrpc.getControllerModifyVolumeMethod(),
                                ExpandAndModifyChecks.modifyRequest(
                                                run, run.volume("replay").getVolumeId())
                                        .build(),
                                moment);
                    }
                });
    }

    private static void snapshots(Checks checks) {
        checks.check("replay.snapshot", "CreateSnapshot after a lost answer returns one snapshot", R29, R76)
                .needs(CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    Volume source = run.volume("replay");
                    for (Moment moment : Moment.values()) {
                        run.deleteSnapshotAtEnd(replay(
                                        run,
                                        lost,
                                        ControllerGrpc.getCreateSnapshotMethod(),
                                        run.snapshotRequest(source).build(),
                                        moment,
                                        answer -> answer.getSnapshot().getSnapshotId())
                                .getSnapshot()
                                .getSnapshotId());
                    }
                });
        checks.check("replay.delete-snapshot", "DeleteSnapshot after a lost answer succeeds", R29, R80)
                .needs(CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    Volume source = run.volume("replay");
                    for (Moment moment : Moment.values()) {
                        replay(
                                run,
                                lost,
                                ControllerGrpc.getDeleteSnapshotMethod(),
                                run.deleteSnapshotRequest(run.snapshot(source).getSnapshotId()),
                                moment);
                    }
                });
        checks.check("replay.group", "CreateVolumeGroupSnapshot after a lost answer returns one group", R29, R97)
                .needs(GROUP_SNAPSHOTS, CREATE_DELETE_VOLUME)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    var sources = GroupAndMetadataChecks.twoVolumes(run);
                    for (Moment moment : Moment.values()) {
                        var request = GroupAndMetadataChecks.groupRequest(run, sources)
                                .build();
                        replay(
                                run,
                                lost,
                                GroupControllerGrpc.getCreateVolumeGroupSnapshotMethod(),
                                request,
                                moment,
                                answer -> answer.getGroupSnapshot().getGroupSnapshotId());
                        GroupAndMetadataChecks.group(run, request);
                    }
                });
        checks.check("replay.delete-group", "DeleteVolumeGroupSnapshot after a lost answer succeeds", R29, R100)
                .needs(GROUP_SNAPSHOTS, CREATE_DELETE_VOLUME)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    var sources = GroupAndMetadataChecks.twoVolumes(run);
                    for (Moment moment : Moment.values()) {
                        var group = GroupAndMetadataChecks.group(
                                run,
                                GroupAndMetadataChecks.groupRequest(run, sources)
                                        .build());
                        replay(
                                run,
                                lost,
                                GroupControllerGrpc.getDeleteVolumeGroupSnapshotMethod(),
                                GroupAndMetadataChecks.deleteRequest(run, group),
                                moment);
                    }
                });
    }

    private static void node(Checks checks) {
        checks.check("replay.stage", "NodeStageVolume after a lost answer succeeds", R29, R85)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    for (Moment moment : Moment.values()) {
                        PublishSteps placement = run.place(run.volume("replay"));
                        placement.attach();
                        placement.mayBeStaged();
                        replay(
                                run,
                                lost,
                                NodeGrpc.getNodeStageVolumeMethod(),
                                placement.stageRequest().build(),
                                moment);
                        placement.down();
                    }
                });
        checks.check("replay.unstage", "NodeUnstageVolume after a lost answer succeeds", R29, R87)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    for (Moment moment : Moment.values()) {
                        PublishSteps placement = run.place(run.volume("replay"));
                        placement.up();
                        replay(run, lost, NodeGrpc.getNodeUnstageVolumeMethod(), placement.unstageRequest(), moment);
                        placement.down();
                    }
                });
        checks.check("replay.publish", "NodePublishVolume after a lost answer succeeds", R29, R89)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    for (Moment moment : Moment.values()) {
                        PublishSteps placement = run.place(run.volume("replay"));
                        placement.up();
                        replay(
                                run,
                                lost,
                                NodeGrpc.getNodePublishVolumeMethod(),
                                placement.publishRequest(placement.target("t")).build(),
                                moment);
                        placement.down();
                    }
                });
        checks.check("replay.unpublish", "NodeUnpublishVolume after a lost answer succeeds", R29, R91)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    LostAnswers lost = run.lostAnswers();
                    for (Moment moment : Moment.values()) {
                        PublishSteps placement = run.bringUp(run.volume("replay"));
                        replay(
                                run,
                                lost,
                                NodeGrpc.getNodeUnpublishVolumeMethod(),
                                placement.unpublishRequest(placement.firstTarget()),
                                moment);
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
                    LostAnswers lost = run.lostAnswers();
                    for (Moment moment : Moment.values()) {
                        PublishSteps placement = run.place(run.volume("replay"));
                        placement.up();
                        var target = placement.target("t");
                        lost.lose(
                                NodeGrpc.getNodePublishVolumeMethod(),
                                placement.publishRequest(target).build(),
                                moment);
                        var request = placement.unpublishRequest(target);
                        lost.repeat(R30, NodeGrpc.getNodeUnpublishVolumeMethod(), request);
                        placement.down();
                    }
                });
    }
}
