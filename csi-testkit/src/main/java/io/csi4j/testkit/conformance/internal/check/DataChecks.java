package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Checks that a volume keeps, copies and protects its data. Skipped if this process cannot see the files of the volume.
 */
final class DataChecks {
    private DataChecks() {}

    static void addTo(Checks checks) {
        checks.check("data.kept", "Data stays after the volume left the node and came back", R43)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("data"));
                    write(run, placement.firstTarget(), "first");
                    placement.down();
                    placement.up();
                    verify(run, placement.publish("again"), "first", "after the volume came back");
                });
        checks.check("data.second-target", "Two targets of a volume have the same data", R89)
                .needs(NODE_SERVICE, CREATE_DELETE_VOLUME, NODE_MULTI_WRITER, CONTROLLER_MULTI_WRITER)
                .run(run -> {
                    VolumeCapability many = run.capability(Mode.SINGLE_NODE_MULTI_WRITER);
                    PublishSteps placement = run.bringUp(
                            run.create(run.createRequest("data")
                                    .setVolumeCapabilities(0, many)
                                    .build()),
                            many);
                    write(run, placement.firstTarget(), "first");
                    verify(run, placement.publish("second"), "first", "at the second target");
                });
        checks.check("data.snapshot", "A restored volume has the data of the moment of the snapshot", R76)
                .needs(NODE_SERVICE, CREATE_DELETE_VOLUME, CREATE_DELETE_SNAPSHOT)
                .run(run -> {
                    PublishSteps source = run.bringUp(run.volume("data"));
                    write(run, source.firstTarget(), "before");
                    Snapshot snapshot = run.readySnapshot(
                            run.snapshotRequest(source.volume()).build());
                    write(run, source.firstTarget(), "after");
                    Volume restored = run.create(CreateFromChecks.copyRequest(
                                    run,
                                    CreateFromChecks.fromSnapshot(snapshot.getSnapshotId()),
                                    snapshot.getSizeBytes())
                            .build());
                    verify(run, run.bringUp(restored).firstTarget(), "before", "in the restored volume");
                    verify(run, source.firstTarget(), "after", "in the source");
                });
        checks.check("data.clone", "A clone has the data of its source, and its own from then on", R57)
                .needs(NODE_SERVICE, CREATE_DELETE_VOLUME, CLONE_VOLUME)
                .run(run -> {
                    PublishSteps source = run.bringUp(run.volume("data"));
                    write(run, source.firstTarget(), "source");
                    Volume clone = run.create(CreateFromChecks.copyRequest(
                                    run,
                                    CreateFromChecks.fromVolume(source.volume().getVolumeId()),
                                    source.volume().getCapacityBytes())
                            .build());
                    Path target = run.bringUp(clone).firstTarget();
                    verify(run, target, "source", "in the clone");
                    write(run, target, "clone");
                    verify(run, source.firstTarget(), "source", "in the source after a write to the clone");
                });
        checks.check("data.two-volumes", "Two volumes have different data", R57)
                .needs(NODE_SERVICE, CREATE_DELETE_VOLUME)
                .run(run -> {
                    PublishSteps first = run.bringUp(run.volume("data"));
                    PublishSteps second = run.bringUp(run.volume("data"));
                    write(run, first.firstTarget(), "first");
                    write(run, second.firstTarget(), "second");
                    verify(run, first.firstTarget(), "first", "in the first volume");
                });
        checks.check("data.expanded", "Data stays when a volume grows", R82)
                .needs(NODE_SERVICE, CREATE_DELETE_VOLUME, EXPAND_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("data"));
                    write(run, placement.firstTarget(), "first");
                    placement.down();
                    ExpandAndModifyChecks.grow(
                            run, placement.volume(), ExpandAndModifyChecks.moreThan(run, placement.volume()));
                    placement.up();
                    verify(run, placement.publish("again"), "first", "after the volume grew");
                });
    }

    private static void write(Run run, Path target, String text) throws IOException {
        run.requireUsable(target);
        run.data().write(target, text);
        run.step("write", "'" + text + "' at " + target);
    }

    private static void verify(Run run, Path target, String text, String where) throws IOException {
        run.requireUsable(target);
        boolean same = run.data().holds(target, text);
        run.step("read", (same ? "the same bytes " : "other bytes ") + where);
        run.must(same, "the data is not there " + where);
    }

    static void readonly(Run run) throws IOException {
        PublishSteps placement = run.place(run.volume("readonly"));
        placement.up();
        Path[] target = new Path[1];
        Code code = run.codeOf(() -> target[0] = placement.publishReadonly("target"));
        run.should(code == Code.OK, "NodePublishVolume with readonly answered " + code + "; OK is expected");
        run.applies(code == Code.OK, "the plugin refuses readonly targets");
        requireProtected(run, R88, target[0]);
    }

    static void readerMode(Run run) throws IOException {
        VolumeCapability reader = run.capability(Mode.SINGLE_NODE_READER_ONLY);
        Volume[] volume = new Volume[1];
        Code code = run.codeOf(() -> volume[0] = run.create(
                run.createRequest("reader").addVolumeCapabilities(reader).build()));
        run.applies(code == Code.OK, "the plugin refuses volumes with SINGLE_NODE_READER_ONLY (" + code + ")");
        PublishSteps placement = run.place(volume[0], reader);
        Path[] target = new Path[1];
        Code published = run.codeOf(() -> {
            placement.up();
            target[0] = placement.publishReadonly("target");
            return true;
        });
        run.applies(published == Code.OK, "the plugin refuses to publish with SINGLE_NODE_READER_ONLY");
        requireProtected(run, R96, target[0]);
    }

    private static void requireProtected(Run run, Rule rule, Path target) throws IOException {
        run.requireUsable(target);
        boolean refused = run.data().refusesWrites(target);
        run.step("try to write", refused ? "refused" : "possible");
        if (run.settings().volume().block()) {
            // Adds only a warning: the read-only bind mount of a device node does not prevent writes to the device.
            run.should(rule, refused, "a write to the readonly device was possible");
        } else {
            run.must(rule, refused, "a write to the readonly target was possible");
        }
    }
}
