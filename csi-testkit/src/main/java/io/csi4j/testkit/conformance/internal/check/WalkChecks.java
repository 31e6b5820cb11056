package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;
import java.io.IOException;
import java.nio.file.Path;

/** Checks that a volume can go through its whole life, with all calls that the plugin offers. */
final class WalkChecks {
    private WalkChecks() {}

    static void addTo(Checks checks) {
        checks.check("walk.lifecycle", "A volume goes through its whole life, and nothing of it stays", R43, R91)
                .needs(A_VOLUME)
                .run(run -> walk(run, 1));
        checks.check("walk.idempotent", "A volume goes through its whole life with each call ten times", R43, R29)
                .needs(A_VOLUME)
                .run(run -> walk(run, 10));
    }

    /**
     * A volume whose life a check walks through. {@code own}: the run has created the volume and may overwrite its
     * data. {@code count}: how many times each call is made.
     */
    private record Walk(Run run, Volume volume, boolean own, int count) {
        /** Makes a call once, and then the repetitions. A repetition that fails is a finding of its own, and the walk continues. */
        void call(Runnable call) {
            call.run();
            repeat(call);
        }

        void repeat(Runnable call) {
            for (int i = 1; i < count; i++) {
                Code code = run.codeOf(() -> {
                    call.run();
                    return call;
                });
                if (code != Code.OK) {
                    run.mustLater(R29, false, "repetition " + i + " of " + run.lastRpc() + " answered " + code);
                    return;
                }
            }
        }

        boolean mayWrite() {
            ConformanceSettings.VolumeKind kind = run.settings().volume();
            return (own || !kind.block()) && !kind.mode().name().endsWith("READER_ONLY");
        }
    }

    private static void walk(Run run, int count) throws Exception {
        ConformanceSettings.ExistingVolume existing = run.settings().existing();
        boolean own = existing == null;
        Volume volume;
        if (existing == null) {
            if (run.has(GET_CAPACITY)) {
                run.controller()
                        .getCapacity(GetCapacityRequest.newBuilder()
                                .addVolumeCapabilities(run.capability())
                                .build());
            }
            CreateVolumeRequest create = run.createRequest("walk").build();
            volume = run.create(create);
            new Walk(run, volume, own, count).repeat(() -> run.controller().createVolume(create));
        } else {
            volume = Volume.newBuilder()
                    .setVolumeId(existing.id())
                    .putAllVolumeContext(existing.context())
                    .build();
        }
        Walk walk = new Walk(run, volume, own, count);
        if (run.has(CONTROLLER_SERVICE)) {
            run.controller()
                    .validateVolumeCapabilities(
                            DeleteAndValidateChecks.validateRequest(run, volume).build());
        }
        if (run.plugin().servesNode()) {
            onNode(walk);
        }
        if (own && run.has(EXPAND_VOLUME) && !run.has(NOT_OFFLINE_EXPANSION)) {
            ExpandAndModifyChecks.grow(run, volume, ExpandAndModifyChecks.moreThan(run, volume));
        }
        if (own) {
            walk.call(() -> run.controller().deleteVolume(run.deleteRequest(volume.getVolumeId())));
        }
    }

    private static void onNode(Walk walk) throws Exception {
        Run run = walk.run();
        PublishSteps placement = run.place(walk.volume());
        walk.call(placement::attach);
        if (walk.own() && run.has(LIST_VOLUMES)) {
            run.must(R70, VolumeLists.all(run).containsKey(walk.volume().getVolumeId()), "the volume is not listed");
        }
        walk.call(placement::stage);
        walk.call(() -> placement.publish("target"));
        Path target = placement.firstTarget();
        boolean written = write(walk, target);
        measured(walk, placement);
        if (walk.count() == 1) {
            secondTarget(walk, placement, written);
            copies(walk, grown(walk, placement), written);
        }
        walk.call(() -> placement.unpublish(target));
        readonly(run, placement);
        walk.call(placement::unstage);
        walk.call(placement::detach);
    }

    private static boolean write(Walk walk, Path target) throws IOException {
        Run run = walk.run();
        if (!walk.mayWrite() || !run.data().usable(target)) {
            run.step("write", "left out: no volume that this process may write to");
            return false;
        }
        run.data().write(target, "walk");
        run.step("write", "at " + target);
        read(run, target);
        return true;
    }

    private static void read(Run run, Path target) throws IOException {
        run.must(R43, run.data().holds(target, "walk"), "the written bytes are not read back at " + target);
        run.step("read", "the same bytes at " + target);
    }

    private static void measured(Walk walk, PublishSteps placement) {
        Run run = walk.run();
        String id = walk.volume().getVolumeId();
        if (run.has(GET_VOLUME_STATS)) {
            run.node()
                    .nodeGetVolumeStats(NodeGetVolumeStatsRequest.newBuilder()
                            .setVolumeId(id)
                            .setVolumePath(placement.firstTarget().toString())
                            .setStagingTargetPath(placement.staging())
                            .build());
        }
        if (run.has(NODE_GET_VOLUME_HEALTH)) {
            run.node()
                    .nodeGetVolumeHealth(NodeGetVolumeHealthRequest.newBuilder()
                            .setVolumeId(id)
                            .setVolumePublishPath(placement.firstTarget().toString())
                            .setStagingTargetPath(placement.staging())
                            .build());
        }
        if (run.has(MODIFY_VOLUME) && run.has(MUTABLE_PARAMETERS)) {
            var request = ExpandAndModifyChecks.modifyRequest(run, id).build();
            walk.call(() -> run.controller().controllerModifyVolume(request));
        }
    }

    private static void secondTarget(Walk walk, PublishSteps placement, boolean written) throws IOException {
        String mode = walk.run().settings().volume().mode().name();
        if (mode.startsWith("MULTI_NODE") || mode.endsWith("MULTI_WRITER")) {
            Path second = placement.publish("second");
            if (written) {
                read(walk.run(), second);
            }
            placement.unpublish(second);
        }
    }

    /** Expands the volume if the plugin can do so while it is published; returns the size. */
    private static long grown(Walk walk, PublishSteps placement) {
        Run run = walk.run();
        boolean online = run.plugin().expansions().contains(PluginCapability.VolumeExpansion.Type.ONLINE);
        if (!walk.own() || !run.has(EXPAND_VOLUME) || !online) {
            return walk.volume().getCapacityBytes();
        }
        long bytes = ExpandAndModifyChecks.grow(run, walk.volume(), ExpandAndModifyChecks.moreThan(run, walk.volume()));
        if (run.has(NODE_EXPAND_VOLUME)) {
            run.node()
                    .nodeExpandVolume(StatsAndHealthChecks.expandRequest(
                                    run,
                                    walk.volume().getVolumeId(),
                                    placement.firstTarget().toString(),
                                    bytes)
                            .setStagingTargetPath(placement.staging())
                            .build());
        }
        return bytes;
    }

    private static void copies(Walk walk, long bytes, boolean written) throws IOException {
        Run run = walk.run();
        Volume volume = walk.volume();
        if (run.has(CREATE_DELETE_SNAPSHOT)) {
            Snapshot snapshot = run.readySnapshot(run.snapshotRequest(volume).build());
            if (run.has(CREATE_DELETE_VOLUME)) {
                copy(run, CreateFromChecks.fromSnapshot(snapshot.getSnapshotId()), snapshot.getSizeBytes(), written);
            }
            run.controller().deleteSnapshot(run.deleteSnapshotRequest(snapshot.getSnapshotId()));
        }
        if (run.has(CLONE_VOLUME) && run.has(CREATE_DELETE_VOLUME)) {
            copy(run, CreateFromChecks.fromVolume(volume.getVolumeId()), bytes, written);
        }
        if (run.has(GROUP_SNAPSHOTS) && run.has(CREATE_DELETE_VOLUME)) {
            var group = GroupAndMetadataChecks.group(
                    run,
                    GroupAndMetadataChecks.groupRequest(run, GroupAndMetadataChecks.twoVolumes(run))
                            .build());
            run.groups().deleteVolumeGroupSnapshot(GroupAndMetadataChecks.deleteRequest(run, group));
        }
    }

    private static void copy(Run run, VolumeContentSource source, long bytes, boolean written) throws IOException {
        Volume made =
                run.create(CreateFromChecks.copyRequest(run, source, bytes).build());
        PublishSteps copy = run.bringUp(made);
        if (written) {
            read(run, copy.firstTarget());
        }
        copy.down();
        run.controller().deleteVolume(run.deleteRequest(made.getVolumeId()));
    }

    private static void readonly(Run run, PublishSteps placement) throws IOException {
        if (run.settings().volume().block()) {
            return; // Some plugins refuse readonly block volumes; a check of its own reports that.
        }
        Path target = placement.publishReadonly("readonly");
        if (run.data().usable(target)) {
            run.must(R88, run.data().refusesWrites(target), "a write to the readonly target was possible");
            run.step("try to write", "refused");
        }
        placement.unpublish(target);
    }
}
