package io.csi4j.testkit.conformance;

import static io.csi4j.testkit.conformance.Defect.answer;
import static io.csi4j.testkit.conformance.Defect.code;
import static io.csi4j.testkit.conformance.Defect.error;
import static io.csi4j.testkit.conformance.Defect.ignores;
import static io.csi4j.testkit.conformance.Defect.planted;
import static io.csi4j.testkit.conformance.Defect.refuses;
import static io.csi4j.testkit.conformance.Defect.refusesRepeat;
import static io.csi4j.testkit.conformance.Defect.request;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.Defect.Variant;
import io.csi4j.testkit.conformance.FaultyFake.Behaviour;
import io.csi4j.testkit.conformance.FaultyFake.Call;
import io.grpc.Status.Code;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Defects that show in the life of a volume, of a snapshot, or of the plugin. */
final class LifeDefects {
    private LifeDefects() {}

    static List<Defect> all() {
        return Stream.concat(lives().stream(), restarts().stream()).toList();
    }

    private static List<Defect> lives() {
        return List.of(
                planted(
                        "ControllerPublishVolume does nothing",
                        "R43",
                        "walk.lifecycle",
                        ignores(
                                ControllerPublishVolumeRequest.class,
                                ControllerPublishVolumeResponse.getDefaultInstance())),
                planted(
                        "a repeated NodeStageVolume is ALREADY_EXISTS",
                        "R29",
                        "walk.idempotent",
                        refusesRepeat(NodeStageVolumeRequest.class, Code.ALREADY_EXISTS)),
                planted(
                                "the deletion of a published volume is INTERNAL",
                                "R49",
                                "delete.in-use",
                                code(DeleteVolumeRequest.class, Code.FAILED_PRECONDITION, Code.INTERNAL))
                        .warns(),
                planted(
                        "the capacity of a topology is negative",
                        "R75",
                        "capacity.topology",
                        () -> call ->
                                call.request() instanceof GetCapacityRequest asked && asked.hasAccessibleTopology()
                                        ? GetCapacityResponse.newBuilder()
                                                .setAvailableCapacity(-1)
                                                .build()
                                        : call.forward()),
                planted(
                                "a target that was never published is NOT_FOUND",
                                "R91",
                                "unpublish.not-published",
                                refuses(
                                        NodeUnpublishVolumeRequest.class,
                                        one -> !Files.exists(Path.of(one.getTargetPath())),
                                        Code.NOT_FOUND))
                        .warns(),
                planted(
                                "a snapshot is never ready",
                                "R77",
                                "snapshot.ready",
                                answer(CreateSnapshotResponse.class, one -> {
                                    CreateSnapshotResponse.Builder changed = one.toBuilder();
                                    changed.getSnapshotBuilder().setReadyToUse(false);
                                    return changed.build();
                                }))
                        .in(Variant.SHORT_TIMEOUT),
                planted(
                        "no volume is created from a member of a group",
                        "R97",
                        "group.restore-member",
                        refuses(
                                CreateVolumeRequest.class,
                                one -> one.getVolumeContentSource().hasSnapshot(),
                                Code.FAILED_PRECONDITION)),
                planted(
                        "a lost answer of NodePublishVolume breaks the unpublishing",
                        "R30",
                        "replay.publish-then-unpublish",
                        BreaksUnpublishing::new));
    }

    private static List<Defect> restarts() {
        AtomicInteger counter = new AtomicInteger();
        return Stream.of(
                        planted(
                                "a completed deletion is refused after a restart",
                                "R59",
                                "restart.in-delete",
                                refusesRepeat(DeleteVolumeRequest.class, Code.INTERNAL)),
                        planted(
                                "a snapshot is new after each restart",
                                "R76",
                                "restart.in-snapshot",
                                request(
                                        CreateSnapshotRequest.class,
                                        one -> one.toBuilder()
                                                .setName(one.getName() + counter.incrementAndGet())
                                                .build())),
                        planted(
                                "a completed publishing is refused after a restart",
                                "R89",
                                "restart.in-publish",
                                refusesRepeat(NodePublishVolumeRequest.class, Code.INTERNAL)),
                        planted(
                                "the target is left after a restart",
                                "R91",
                                "restart.in-unpublish",
                                ignores(
                                        NodeUnpublishVolumeRequest.class,
                                        NodeUnpublishVolumeResponse.getDefaultInstance())))
                .map(defect -> defect.in(Variant.RESTART_KEEPS))
                .toList();
    }

    /** A volume whose publishing had no answer can never be unpublished. */
    private static final class BreaksUnpublishing implements Behaviour {
        private final Set<String> broken = ConcurrentHashMap.newKeySet();

        @Override
        public Message answer(Call call) {
            if (call.request() instanceof NodePublishVolumeRequest publish
                    && call.cancelledWithin(Defect.LOST_MILLIS)) {
                broken.add(publish.getVolumeId());
            }
            if (call.request() instanceof NodeUnpublishVolumeRequest unpublish
                    && broken.contains(unpublish.getVolumeId())) {
                throw error(Code.INTERNAL);
            }
            return call.forward();
        }
    }
}
