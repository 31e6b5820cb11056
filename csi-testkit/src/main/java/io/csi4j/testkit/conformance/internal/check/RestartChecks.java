package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.MethodDescriptor;
import io.grpc.Status.Code;
import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;

/** Checks the answers of a plugin that was killed and started again, between calls or during a call. */
final class RestartChecks {
    private RestartChecks() {}

    static void addTo(Checks checks) {
        checks.check("restart.serves-again", "A restarted plugin is the same plugin", R37, R38)
                .needs(RESTART)
                .run(run -> {
                    restart(run);
                    var info = run.calls()
                            .eventually(() -> run.identity().getPluginInfo(GetPluginInfoRequest.getDefaultInstance()));
                    run.must(info.getName().equals(run.plugin().name()), "the plugin has another name");
                });
        checks.check("restart.keeps-volumes", "A volume and its name survive a restart", R51, R57)
                .needs(RESTART, CREATE_DELETE_VOLUME)
                .run(run -> {
                    CreateVolumeRequest request = run.createRequest("kept").build();
                    Volume volume = run.create(request);
                    restart(run);
                    run.must(
                            R57,
                            DeleteAndValidateChecks.known(run, volume) == Code.OK,
                            "the volume is unknown after the restart");
                    run.must(
                            created(run, request).equals(volume.getVolumeId()),
                            "the name returned another volume after the restart");
                });
        checks.check("restart.keeps-snapshots", "A snapshot and its name survive a restart", R76)
                .needs(RESTART, CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    var request = run.snapshotRequest(run.volume("source")).build();
                    String id = run.snapshot(request).getSnapshotId();
                    restart(run);
                    run.must(snapshot(run, request).equals(id), "the name returned another snapshot after the restart");
                });
        checks.check(
                        "restart.keeps-published",
                        "A published volume is unpublished, unstaged and detached after a restart",
                        R43,
                        R91)
                .needs(RESTART, NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("kept"));
                    var target = placement.firstTarget();
                    restart(run);
                    run.calls().eventually(() -> placement.publish("target"));
                    run.calls().eventually(() -> {
                        placement.down();
                        return target;
                    });
                    run.must(R91, !Files.exists(target), "the target is left");
                });
        checks.check("restart.in-create", "A plugin that dies in CreateVolume makes one volume for the name", R29, R51)
                .needs(RESTART, CREATE_DELETE_VOLUME)
                .run(run -> {
                    CreateVolumeRequest request = run.createRequest("killed").build();
                    interrupted(run, ControllerGrpc.getCreateVolumeMethod(), request);
                    String id = created(run, request);
                    run.must(R51, created(run, request).equals(id), "one name returned two volumes");
                });
        checks.check(
                        "restart.in-delete",
                        "A plugin that dies in DeleteVolume completes it when it is repeated",
                        R29,
                        R59)
                .needs(RESTART, CREATE_DELETE_VOLUME)
                .run(run -> {
                    var request = run.deleteRequest(run.volume("killed").getVolumeId());
                    interrupted(run, ControllerGrpc.getDeleteVolumeMethod(), request);
                    run.calls().eventually(() -> run.controller().deleteVolume(request));
                });
        checks.check(
                        "restart.in-snapshot",
                        "A plugin that dies in CreateSnapshot makes one snapshot for the name",
                        R29,
                        R76)
                .needs(RESTART, CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    var request = run.snapshotRequest(run.volume("source")).build();
                    interrupted(run, ControllerGrpc.getCreateSnapshotMethod(), request);
                    String id = snapshot(run, request);
                    run.must(R76, snapshot(run, request).equals(id), "one name returned two snapshots");
                });
        checks.check(
                        "restart.in-publish",
                        "A plugin that dies in NodePublishVolume completes it when it is repeated",
                        R29,
                        R89)
                .needs(RESTART, NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("killed"));
                    placement.up();
                    var target = placement.target("t");
                    var request = placement.publishRequest(target).build();
                    interrupted(run, NodeGrpc.getNodePublishVolumeMethod(), request);
                    run.calls().eventually(() -> run.node().nodePublishVolume(request));
                    placement.down();
                    run.must(R91, !Files.exists(target), "the target is left");
                });
        checks.check(
                        "restart.in-unpublish",
                        "A plugin that dies in NodeUnpublishVolume completes it when it is repeated",
                        R29,
                        R91)
                .needs(RESTART, NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("killed"));
                    var target = placement.firstTarget();
                    var request = placement.unpublishRequest(target);
                    interrupted(run, NodeGrpc.getNodeUnpublishVolumeMethod(), request);
                    run.calls().eventually(() -> run.node().nodeUnpublishVolume(request));
                    run.must(R91, !Files.exists(target), "the target is left");
                });
    }

    // After a restart command a connection may break late, so each call waits until the plugin can be reached.

    private static String created(Run run, CreateVolumeRequest request) {
        return run.calls().eventually(() -> run.create(request)).getVolumeId();
    }

    private static String snapshot(Run run, CreateSnapshotRequest request) {
        return run.calls().eventually(() -> run.snapshot(request)).getSnapshotId();
    }

    private static void restart(Run run) {
        Runnable restart = run.settings().restart();
        run.calls().restarted();
        run.applies(restart != null, "needs " + RESTART.text());
        if (restart != null) {
            restart.run();
        }
        run.step("restart the plugin", "killed and started");
        run.calls().eventually(() -> run.identity().probe(ProbeRequest.getDefaultInstance()));
        if (run.settings().controllerEndpoint().equals(run.settings().endpoint())) {
            return;
        }
        run.calls().eventually(() -> run.controllerIdentity().probe(ProbeRequest.getDefaultInstance()));
    }

    /** Starts a call, kills the plugin at once, and waits until it serves again. */
    private static <Q extends Message, S extends Message> void interrupted(
            Run run, MethodDescriptor<Q, S> method, Q request) {
        CompletableFuture<S> answer = run.calls().start(method, request);
        restart(run);
        answer.handle((message, failure) -> true).join();
        run.calls().eventually(() -> run.calls().call(method, request));
    }
}
