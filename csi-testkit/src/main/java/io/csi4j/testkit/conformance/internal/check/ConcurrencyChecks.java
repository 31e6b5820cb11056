package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.internal.*;
import io.csi4j.testkit.conformance.internal.RawCalls.Answer;
import io.grpc.MethodDescriptor;
import io.grpc.Status.Code;
import java.nio.file.Files;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Checks calls that arrive at the same time: a plugin must perform them, or answer ABORTED. */
final class ConcurrencyChecks {
    private static final int CALLS = 8;

    private ConcurrencyChecks() {}

    static void addTo(Checks checks) {
        checks.check(
                        "concurrent.create-same-name",
                        "Simultaneous calls with one name return one volume or ABORTED",
                        R27,
                        R51)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    CreateVolumeRequest request = run.createRequest("same").build();
                    Set<String> ids = new HashSet<>();
                    for (Answer<CreateVolumeResponse> answer :
                            together(run, ControllerGrpc.getCreateVolumeMethod(), request)) {
                        answer.message().forEach(one -> ids.add(one.getVolume().getVolumeId()));
                    }
                    run.recommends(R27, () -> {
                        ids.add(run.calls()
                                .eventually(() -> run.controller().createVolume(request))
                                .getVolume()
                                .getVolumeId());
                    });
                    ids.forEach(run::deleteAtEnd);
                    run.should(ids.size() == 1, "one name returned the volumes " + ids);
                });
        checks.check("concurrent.create-many", "Simultaneous calls with different names all succeed", R26)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    List<CreateVolumeRequest> requests = IntStream.range(0, CALLS)
                            .mapToObj(i -> run.createRequest("many").build())
                            .toList();
                    Set<String> ids = new HashSet<>();
                    List<Answer<CreateVolumeResponse>> answers =
                            run.calls().together(ControllerGrpc.getCreateVolumeMethod(), requests);
                    for (int i = 0; i < CALLS; i++) {
                        answers.get(i)
                                .message()
                                .forEach(one -> ids.add(one.getVolume().getVolumeId()));
                        if (!answers.get(i).ok()) {
                            CreateVolumeRequest again = requests.get(i);
                            ids.add(run.calls()
                                    .eventually(() -> run.controller().createVolume(again))
                                    .getVolume()
                                    .getVolumeId());
                        }
                    }
                    ids.forEach(run::deleteAtEnd);
                    run.must(ids.size() == CALLS, CALLS + " names returned " + ids.size() + " volumes");
                    warnOthers(run, answers);
                });
        checks.check("concurrent.delete", "Simultaneous deletes of one volume succeed or are ABORTED", R27, R59)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    var request = run.deleteRequest(run.volume("deleted").getVolumeId());
                    warnOthers(run, together(run, ControllerGrpc.getDeleteVolumeMethod(), request));
                    run.recommends(
                            R27,
                            () -> run.calls().eventually(() -> run.controller().deleteVolume(request)));
                });
        checks.check("concurrent.controller-publish", "Simultaneous publishes return one context or ABORTED", R27, R61)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("published"));
                    placement.mayBeAttached();
                    var request = placement.attachRequest().build();
                    Set<Object> contexts = new HashSet<>();
                    var answers = together(run, ControllerGrpc.getControllerPublishVolumeMethod(), request);
                    answers.forEach(
                            answer -> answer.message().forEach(one -> contexts.add(one.getPublishContextMap())));
                    run.recommends(R27, () -> {
                        contexts.add(run.calls()
                                .eventually(() -> run.controller().controllerPublishVolume(request))
                                .getPublishContextMap());
                    });
                    run.should(contexts.size() == 1, "the calls returned different publish contexts");
                    warnOthers(run, answers);
                });
        checks.check(
                        "concurrent.stage",
                        "Simultaneous stages succeed or are ABORTED, and one unstage undoes them",
                        R27,
                        R85)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("staged"));
                    placement.attach();
                    placement.mayBeStaged();
                    var request = placement.stageRequest().build();
                    warnOthers(run, together(run, NodeGrpc.getNodeStageVolumeMethod(), request));
                    run.recommends(R27, () -> {
                        run.calls().eventually(() -> run.node().nodeStageVolume(request));
                        placement.down();
                    });
                });
        checks.check(
                        "concurrent.publish",
                        "Simultaneous publishes succeed or are ABORTED, and one unpublish undoes them",
                        R27,
                        R89)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("published"));
                    placement.up();
                    var target = placement.target("t");
                    var request = placement.publishRequest(target).build();
                    warnOthers(run, together(run, NodeGrpc.getNodePublishVolumeMethod(), request));
                    run.recommends(R27, () -> {
                        run.calls().eventually(() -> run.node().nodePublishVolume(request));
                        placement.down();
                        run.must(!Files.exists(target), "the target is left after one unpublish");
                    });
                });
        checks.check("concurrent.snapshot", "Simultaneous calls with one name return one snapshot or ABORTED", R27, R76)
                .needs(CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    var request = run.snapshotRequest(run.volume("source")).build();
                    Set<String> ids = new HashSet<>();
                    var answers = together(run, ControllerGrpc.getCreateSnapshotMethod(), request);
                    answers.forEach(answer -> answer.message()
                            .forEach(one -> ids.add(one.getSnapshot().getSnapshotId())));
                    run.recommends(R27, () -> {
                        ids.add(run.calls()
                                .eventually(() -> run.controller().createSnapshot(request))
                                .getSnapshot()
                                .getSnapshotId());
                    });
                    ids.forEach(run::deleteSnapshotAtEnd);
                    run.should(ids.size() == 1, "one name returned the snapshots " + ids);
                    warnOthers(run, answers);
                });
    }

    private static <Q extends Message, S extends Message> List<Answer<S>> together(
            Run run, MethodDescriptor<Q, S> method, Q request) {
        return run.calls().together(method, Collections.nCopies(CALLS, request));
    }

    /** Adds a warning for each status code other than OK and ABORTED. */
    private static <S> void warnOthers(Run run, List<Answer<S>> answers) {
        Map<Code, Integer> others = new TreeMap<>();
        answers.forEach(answer -> others.merge(answer.code(), 1, Integer::sum));
        others.remove(Code.OK);
        others.remove(Code.ABORTED);
        others.forEach((code, count) -> run.should(
                false, count + " of the simultaneous calls answered " + code + "; OK or ABORTED is expected"));
    }
}
