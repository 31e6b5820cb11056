package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.GetSnapshotRequest;
import io.csi4j.examples.walk.Back;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Cuts snapshots, finds them again, and makes volumes from them and from volumes. */
final class SnapshotSteps {
    /** R77: from time to time. */
    private static final Duration UNTIL_READY = Duration.ofMillis(500);

    private final Session session;
    private final VolumeSteps volumes;
    private final Data data;

    SnapshotSteps(Session session, VolumeSteps volumes, Data data) {
        this.session = session;
        this.volumes = volumes;
        this.data = data;
    }

    void run(CreatedVolume source, Optional<Content> content) {
        if (!session.offers(ControllerCapability.CREATE_DELETE_SNAPSHOT, Rpc.CREATE_SNAPSHOT)) {
            return;
        }
        session.extra(() -> {
            Snapshot snapshot = cut(source, "snapshot");
            list(snapshot);
            get(snapshot);
            blocks(source, snapshot);
            restore(source, snapshot, content);
        });
    }

    /** The way back deletes it. */
    private Snapshot cut(CreatedVolume source, String suffix) {
        CreateSnapshotRequest request = CreateSnapshotRequest.builder(
                        source.id(), session.options().volumeName() + "-" + suffix)
                .secrets(session.options().secrets())
                .build();
        Snapshot first = session.walk()
                .make(
                        Rpc.CREATE_SNAPSHOT,
                        () -> session.plugin().controller().createSnapshot(request),
                        answer -> text(answer.snapshot()),
                        answer -> delete(answer.snapshot()))
                .snapshot();
        session.walk().local("check the snapshot", () -> {
            if (!first.sourceVolumeId().equals(source.id())) {
                throw new IOException("its source is " + first.sourceVolumeId() + ", and should be " + source.id());
            }
            return "its source is the volume" + (first.creationTime().isPresent() ? "" : "; no creation time");
        });
        return first.readyToUse() ? first : ready(request);
    }

    /** The same request again tells of errors too, which a listing does not (R77). */
    private Snapshot ready(CreateSnapshotRequest request) {
        return session.walk()
                .call(
                        Rpc.CREATE_SNAPSHOT,
                        () -> RepeatUntil.until(
                                () -> session.plugin().controller().createSnapshot(request),
                                (CreateSnapshotResponse answer) ->
                                        answer.snapshot().readyToUse(),
                                UNTIL_READY),
                        answer -> "asked again until it was ready")
                .snapshot();
    }

    private Back delete(Snapshot snapshot) {
        DeleteSnapshotRequest request = DeleteSnapshotRequest.builder(snapshot.snapshotId())
                .secrets(session.options().secrets())
                .build();
        return Back.call(
                Rpc.DELETE_SNAPSHOT,
                "snapshot " + snapshot.snapshotId(),
                () -> session.plugin().controller().deleteSnapshot(request),
                "the snapshot " + snapshot.snapshotId() + " of volume " + snapshot.sourceVolumeId()
                        + "; delete it at the storage provider");
    }

    private static String text(Snapshot snapshot) {
        return snapshot.snapshotId()
                + (snapshot.sizeBytes() == 0 ? "" : ", " + Quantity.text(snapshot.sizeBytes()))
                + (snapshot.readyToUse() ? ", ready" : ", not ready yet");
    }

    private void list(Snapshot snapshot) {
        if (!session.offers(ControllerCapability.LIST_SNAPSHOTS, Rpc.LIST_SNAPSHOTS)) {
            return;
        }
        session.extra(() -> {
            boolean found = session
                    .walk()
                    .call(
                            Rpc.LIST_SNAPSHOTS,
                            () -> Pages.snapshots(
                                    session.plugin().controller(),
                                    snapshot.snapshotId(),
                                    session.options().secrets()),
                            all -> all.size() + " with this id")
                    .stream()
                    .anyMatch(entry -> entry.snapshotId().equals(snapshot.snapshotId()));
            if (!found) {
                session.warn("look for the snapshot", "a listing by its id does not have it (R81)");
            }
        });
    }

    private void get(Snapshot snapshot) {
        if (!session.offers(ControllerCapability.GET_SNAPSHOT, Rpc.GET_SNAPSHOT)) {
            return;
        }
        GetSnapshotRequest request = GetSnapshotRequest.builder(snapshot.snapshotId())
                .secrets(session.options().secrets())
                .build();
        session.extra(() -> session.walk()
                .call(
                        Rpc.GET_SNAPSHOT,
                        () -> session.plugin().controller().getSnapshot(request),
                        answer -> text(answer.snapshot())));
    }

    private void blocks(CreatedVolume source, Snapshot base) {
        if (!session.facts().has(PluginService.SNAPSHOT_METADATA_SERVICE)) {
            session.skip(Rpc.GET_METADATA_ALLOCATED.csiName(), "no SNAPSHOT_METADATA_SERVICE");
            return;
        }
        if (!session.options().capability().isBlock()) {
            session.skip(Rpc.GET_METADATA_ALLOCATED.csiName(), "tells of blocks, so only with --block");
            return;
        }
        SnapshotBlocks blocks = new SnapshotBlocks(session);
        session.extra(() -> blocks.allocated(base));
        session.extra(() -> blocks.changed(base, cut(source, "snapshot-2")));
    }

    private void restore(CreatedVolume source, Snapshot snapshot, Optional<Content> content) {
        if (!volumes.offered()) {
            session.skip("restore the snapshot", "no CREATE_DELETE_VOLUME");
            return;
        }
        long bytes = Math.max(source.capacityBytes(), snapshot.sizeBytes());
        session.extra(() -> copy("restored", bytes, VolumeContentSource.snapshot(snapshot.snapshotId()), content));
    }

    /** A volume made from another one. */
    void cloneOf(CreatedVolume source, Optional<Content> content) {
        if (!session.facts().has(ControllerCapability.CLONE_VOLUME) || !volumes.offered()) {
            session.skip("clone the volume", "no CLONE_VOLUME");
            return;
        }
        session.extra(() -> copy("clone", source.capacityBytes(), VolumeContentSource.volume(source.id()), content));
    }

    /** Makes a copy, and looks into it through its own target path. */
    private void copy(String label, long bytes, VolumeContentSource from, Optional<Content> content) {
        CreatedVolume copy = volumes.create(session.options().volumeName() + "-" + label, bytes, from);
        OnNode node = new OnNode(session, copy, label);
        node.attach();
        node.stage();
        Path target = node.publish("target", session.options().accessMode().readerOnly());
        data.checkMount(target);
        data.verify("check the " + label + " data", content, target);
    }
}
