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
import io.csi4j.examples.steps.UndoStep;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Creates snapshots, finds them in listings, and creates volumes from snapshots and from volumes. */
final class SnapshotSteps {
    /** The interval at which CreateSnapshot is repeated (R77). */
    private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

    private final Session session;
    private final VolumeSteps volumes;
    private final DataChecks data;

    SnapshotSteps(Session session, VolumeSteps volumes, DataChecks data) {
        this.session = session;
        this.volumes = volumes;
        this.data = data;
    }

    void run(CreatedVolume source, Optional<TestContent> content) {
        if (!session.offers(ControllerCapability.CREATE_DELETE_SNAPSHOT, Rpc.CREATE_SNAPSHOT)) {
            return;
        }
        session.optional(() -> {
            Snapshot snapshot = createSnapshot(source, "snapshot");
            list(snapshot);
            get(snapshot);
            blocks(source, snapshot);
            restore(source, snapshot, content);
        });
    }

    /** Creates a snapshot; the undo deletes it. */
    private Snapshot createSnapshot(CreatedVolume source, String suffix) {
        CreateSnapshotRequest request = CreateSnapshotRequest.builder(
                        source.id(), session.options().volumeName() + "-" + suffix)
                .secrets(session.options().secrets())
                .build();
        Snapshot first = session.steps()
                .create(
                        Rpc.CREATE_SNAPSHOT,
                        () -> session.plugin().controller().createSnapshot(request),
                        answer -> text(answer.snapshot()),
                        answer -> delete(answer.snapshot()))
                .snapshot();
        session.steps().local("check the snapshot", () -> {
            if (!first.sourceVolumeId().equals(source.id())) {
                throw new IOException("its source is " + first.sourceVolumeId() + ", but should be " + source.id());
            }
            return "its source is the volume" + (first.creationTime().isPresent() ? "" : "; no creation time");
        });
        return first.readyToUse() ? first : awaitReady(request);
    }

    /** Repeats the request until the snapshot is ready; unlike a listing, it also reports errors (R77). */
    private Snapshot awaitReady(CreateSnapshotRequest request) {
        return session.steps()
                .call(
                        Rpc.CREATE_SNAPSHOT,
                        () -> Polling.poll(
                                () -> session.plugin().controller().createSnapshot(request),
                                (CreateSnapshotResponse answer) ->
                                        answer.snapshot().readyToUse(),
                                POLL_INTERVAL),
                        answer -> "repeated until it was ready")
                .snapshot();
    }

    private UndoStep delete(Snapshot snapshot) {
        DeleteSnapshotRequest request = DeleteSnapshotRequest.builder(snapshot.snapshotId())
                .secrets(session.options().secrets())
                .build();
        return UndoStep.call(
                Rpc.DELETE_SNAPSHOT,
                "snapshot " + snapshot.snapshotId(),
                () -> session.plugin().controller().deleteSnapshot(request),
                "the snapshot " + snapshot.snapshotId() + " of volume " + snapshot.sourceVolumeId()
                        + "; delete it at the storage provider");
    }

    private static String text(Snapshot snapshot) {
        return snapshot.snapshotId()
                + (snapshot.sizeBytes() == 0 ? "" : ", " + Quantities.text(snapshot.sizeBytes()))
                + (snapshot.readyToUse() ? ", ready" : ", not ready yet");
    }

    private void list(Snapshot snapshot) {
        if (!session.offers(ControllerCapability.LIST_SNAPSHOTS, Rpc.LIST_SNAPSHOTS)) {
            return;
        }
        session.optional(() -> {
            boolean found = session
                    .steps()
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
        session.optional(() -> session.steps()
                .call(
                        Rpc.GET_SNAPSHOT,
                        () -> session.plugin().controller().getSnapshot(request),
                        answer -> text(answer.snapshot())));
    }

    private void blocks(CreatedVolume source, Snapshot base) {
        if (!session.capabilities().has(PluginService.SNAPSHOT_METADATA_SERVICE)) {
            session.skip(Rpc.GET_METADATA_ALLOCATED.csiName(), "no SNAPSHOT_METADATA_SERVICE");
            return;
        }
        if (!session.options().capability().isBlock()) {
            session.skip(Rpc.GET_METADATA_ALLOCATED.csiName(), "reports blocks, so it needs --block");
            return;
        }
        SnapshotBlocks blocks = new SnapshotBlocks(session);
        session.optional(() -> blocks.allocated(base));
        session.optional(() -> blocks.changed(base, createSnapshot(source, "snapshot-2")));
    }

    private void restore(CreatedVolume source, Snapshot snapshot, Optional<TestContent> content) {
        if (!volumes.offered()) {
            session.skip("restore the snapshot", "no CREATE_DELETE_VOLUME");
            return;
        }
        long bytes = Math.max(source.capacityBytes(), snapshot.sizeBytes());
        session.optional(() -> copy("restored", bytes, VolumeContentSource.snapshot(snapshot.snapshotId()), content));
    }

    /** Creates a volume from another one. */
    void cloneOf(CreatedVolume source, Optional<TestContent> content) {
        if (!session.capabilities().has(ControllerCapability.CLONE_VOLUME) || !volumes.offered()) {
            session.skip("clone the volume", "no CLONE_VOLUME");
            return;
        }
        session.optional(() -> copy("clone", source.capacityBytes(), VolumeContentSource.volume(source.id()), content));
    }

    /** Creates a copy and checks its data through its own target path. */
    private void copy(String label, long bytes, VolumeContentSource from, Optional<TestContent> content) {
        CreatedVolume copy = volumes.create(session.options().volumeName() + "-" + label, bytes, from);
        NodeSteps node = new NodeSteps(session, copy, label);
        node.attach();
        node.stage();
        Path target = node.publish("target", session.options().accessMode().readerOnly());
        data.checkMount(target);
        data.verify("check the " + label + " data", content, target);
    }
}
