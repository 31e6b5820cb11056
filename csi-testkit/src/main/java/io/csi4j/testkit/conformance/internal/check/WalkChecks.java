package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.internal.*;
import java.nio.file.Path;

/** One volume through its whole life, with everything that the plugin offers. */
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

    private static void times(int count, Runnable call) {
        for (int i = 0; i < count; i++) {
            call.run();
        }
    }

    private static void walk(Run run, int count) throws Exception {
        if (run.has(GET_CAPACITY)) {
            run.controller()
                    .getCapacity(GetCapacityRequest.newBuilder()
                            .addVolumeCapabilities(run.capability())
                            .build());
        }
        CreateVolumeRequest create = run.createRequest("walk").build();
        Volume volume = run.has(CREATE_DELETE_VOLUME) ? run.create(create) : run.volume("walk");
        if (run.has(CREATE_DELETE_VOLUME)) {
            times(count - 1, () -> run.controller().createVolume(create));
        }
        if (run.has(CONTROLLER_SERVICE)) {
            run.controller()
                    .validateVolumeCapabilities(
                            DeleteAndValidateChecks.validateRequest(run, volume).build());
        }
        if (run.plugin().servesNode()) {
            onNode(run, volume, count);
        }
        if (run.has(EXPAND_VOLUME) && run.has(CREATE_DELETE_VOLUME)) {
            ExpandAndModifyChecks.grow(run, volume, ExpandAndModifyChecks.moreThan(run, volume));
        }
        if (run.has(CREATE_DELETE_VOLUME)) {
            times(count, () -> run.controller().deleteVolume(run.deleteRequest(volume.getVolumeId())));
        }
    }

    private static void onNode(Run run, Volume volume, int count) throws Exception {
        Placement placement = run.place(volume);
        times(count, placement::attach);
        times(count, placement::stage);
        times(count, () -> placement.publish("target"));
        Path target = placement.firstTarget();
        boolean usable = run.data().usable(target);
        if (usable && !run.settings().volume().mode().name().endsWith("READER_ONLY") && ownData(run)) {
            run.data().write(target, "walk");
            run.step("write", "at " + target);
            run.must(run.data().holds(target, "walk"), "the written bytes are not read back");
            run.step("read", "the same bytes");
        } else {
            run.step("write", "left out: no volume that this process can write to");
        }
        if (run.has(GET_VOLUME_STATS)) {
            run.node()
                    .nodeGetVolumeStats(NodeGetVolumeStatsRequest.newBuilder()
                            .setVolumeId(volume.getVolumeId())
                            .setVolumePath(target.toString())
                            .setStagingTargetPath(placement.staging())
                            .build());
        }
        if (run.has(MODIFY_VOLUME) && run.has(MUTABLE_PARAMETERS)) {
            var request = ExpandAndModifyChecks.modifyRequest(run, volume.getVolumeId())
                    .build();
            times(count, () -> run.controller().controllerModifyVolume(request));
        }
        copies(run, placement, usable);
        times(count, () -> run.node().nodeUnpublishVolume(placement.unpublishRequest(target)));
        placement.unpublish(target);
        Path readonly = placement.publishReadonly("readonly");
        placement.unpublish(readonly);
        if (run.has(STAGE_UNSTAGE_VOLUME)) {
            times(count - 1, () -> run.node().nodeUnstageVolume(placement.unstageRequest()));
        }
        placement.unstage();
        if (run.has(PUBLISH_UNPUBLISH_VOLUME)) {
            times(count - 1, () -> run.controller().controllerUnpublishVolume(placement.detachRequest()));
        }
        placement.detach();
    }

    /** Returns whether data may be overwritten: that of a block device that exists already may not. */
    private static boolean ownData(Run run) {
        return run.has(CREATE_DELETE_VOLUME) || !run.settings().volume().block();
    }

    private static void copies(Run run, Placement placement, boolean usable) throws Exception {
        if (run.has(CREATE_DELETE_SNAPSHOT) && run.has(CREATE_DELETE_VOLUME)) {
            Snapshot snapshot =
                    run.readySnapshot(run.snapshotRequest(placement.volume()).build());
            Volume restored = run.create(CreateFromChecks.copyRequest(
                            run, CreateFromChecks.fromSnapshot(snapshot.getSnapshotId()), snapshot.getSizeBytes())
                    .build());
            Placement copy = run.bringUp(restored);
            if (usable) {
                run.must(run.data().holds(copy.firstTarget(), "walk"), "the restored volume has not the written bytes");
                run.step("read the copy", "the same bytes");
            }
            copy.down();
            run.controller().deleteVolume(run.deleteRequest(restored.getVolumeId()));
            run.controller().deleteSnapshot(run.deleteSnapshotRequest(snapshot.getSnapshotId()));
        }
    }
}
