package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.Requirement;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;

/** Checks snapshots of single volumes. */
final class SnapshotChecks {

    private SnapshotChecks() {}

    static void addTo(Checks checks) {
        create(checks);
        delete(checks);
        list(checks);
    }

    private static void create(Checks checks) {
        checks.check("snapshot.no-name", "CreateSnapshot without a name is refused", R22)
                .needs(CREATE_DELETE_SNAPSHOT)
                .run(run -> run.refused(
                        () -> run.snapshot(
                                run.snapshotRequest(unknown()).clearName().build()),
                        Code.INVALID_ARGUMENT));
        checks.check("snapshot.no-source", "CreateSnapshot without a source is refused", R22)
                .needs(CREATE_DELETE_SNAPSHOT)
                .run(run -> run.refused(
                        () -> run.snapshot(run.snapshotRequest(unknown())
                                .clearSourceVolumeId()
                                .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("snapshot.unknown-source", "A source that does not exist is NOT_FOUND", R79)
                .needs(CREATE_DELETE_SNAPSHOT)
                .run(run -> {
                    Code code = run.codeOf(() -> run.snapshot(unknown()));
                    run.must(code != Code.OK, "a snapshot was made of a volume that does not exist");
                    run.should(
                            Requirement.SHOULD,
                            R79,
                            code == Code.NOT_FOUND,
                            "CreateSnapshot answered " + code + "; NOT_FOUND is expected");
                });
        checks.check("snapshot.values", "A snapshot has an id, its source, a creation time and a size", R16, R23, R76)
                .needs(CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    Volume source = run.volume("source");
                    Snapshot snapshot = run.snapshot(source);
                    run.must(R76, !snapshot.getSnapshotId().isEmpty(), "the snapshot id is missing");
                    run.must(
                            R76,
                            snapshot.getSourceVolumeId().equals(source.getVolumeId()),
                            "source_volume_id is '" + snapshot.getSourceVolumeId() + "'");
                    run.must(R76, snapshot.hasCreationTime(), "creation_time is missing");
                    run.must(R23, snapshot.getSizeBytes() >= 0, "size_bytes is " + snapshot.getSizeBytes());
                    run.must(R76, snapshot.getGroupSnapshotId().isEmpty(), "a single snapshot has a group_snapshot_id");
                    Limits.require(run, snapshot, "the snapshot");
                });
        checks.check("snapshot.same-name", "The same name and source return the same snapshot", R76)
                .needs(CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    var request = run.snapshotRequest(run.volume("source")).build();
                    Snapshot first = run.snapshot(request);
                    Snapshot second = run.snapshot(request);
                    run.must(
                            first.getSnapshotId().equals(second.getSnapshotId()),
                            "the same name returned two snapshots");
                    run.must(
                            first.getCreationTime().equals(second.getCreationTime()),
                            "the second answer has another creation_time");
                });
        checks.check("snapshot.two-names", "Two names return two snapshots", R76)
                .needs(CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    Volume source = run.volume("source");
                    run.must(
                            !run.snapshot(source)
                                    .getSnapshotId()
                                    .equals(run.snapshot(source).getSnapshotId()),
                            "two names returned one snapshot");
                });
        checks.check("snapshot.other-source", "The same name with another source is ALREADY_EXISTS", R76, R79)
                .needs(CREATE_DELETE_SNAPSHOT, CREATE_DELETE_VOLUME)
                .run(run -> {
                    var request = run.snapshotRequest(run.volume("source"));
                    run.snapshot(request.build());
                    request.setSourceVolumeId(run.volume("other").getVolumeId());
                    run.refused(R79, () -> run.snapshot(request.build()), Code.ALREADY_EXISTS);
                });
        checks.check("snapshot.longest-name", "A name of 128 bytes is accepted", R16, R21)
                .needs(CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    var request = run.snapshotRequest(run.volume("source"));
                    request.setName(request.getName()
                            + "n".repeat(128 - request.getName().length()));
                    String id = run.succeeds(R16, () -> run.snapshot(request.build()))
                            .getSnapshotId();
                    run.must(
                            R76,
                            run.snapshot(request.build()).getSnapshotId().equals(id),
                            "a second call returned another snapshot");
                });
        checks.check("snapshot.ready", "A snapshot becomes ready, which the same request reports", R77)
                .needs(CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> run.readySnapshot(
                        run.snapshotRequest(run.volume("source")).build()));
    }

    private static Volume unknown() {
        return Volume.newBuilder().setVolumeId(Run.UNKNOWN).build();
    }

    private static void delete(Checks checks) {
        checks.check("delete-snapshot.no-id", "DeleteSnapshot without an id is refused", R22)
                .needs(CREATE_DELETE_SNAPSHOT)
                .run(run -> run.refused(
                        () -> run.controller().deleteSnapshot(run.deleteSnapshotRequest("")), Code.INVALID_ARGUMENT));
        checks.check("delete-snapshot.unknown", "Deleting a snapshot that does not exist succeeds", R80)
                .needs(CREATE_DELETE_SNAPSHOT)
                .run(run -> run.controller().deleteSnapshot(run.deleteSnapshotRequest("csi4j-unknown-snapshot")));
        checks.check("delete-snapshot.twice", "Deleting a snapshot again succeeds", R80)
                .needs(CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    var request = run.deleteSnapshotRequest(
                            run.snapshot(run.volume("source")).getSnapshotId());
                    run.controller().deleteSnapshot(request);
                    run.controller().deleteSnapshot(request);
                });
        checks.check(
                        "delete-snapshot.name-again",
                        "The name of a deleted snapshot can be used for another source",
                        R76,
                        R80)
                .needs(CREATE_DELETE_SNAPSHOT, CREATE_DELETE_VOLUME)
                .run(run -> {
                    var request = run.snapshotRequest(run.volume("source"));
                    run.controller()
                            .deleteSnapshot(run.deleteSnapshotRequest(
                                    run.snapshot(request.build()).getSnapshotId()));
                    request.setSourceVolumeId(run.volume("other").getVolumeId());
                    run.succeeds(R80, () -> run.snapshot(request.build()));
                });
    }

    private static void list(Checks checks) {
        checks.check("list-snapshots.by-id", "The filter by id returns that snapshot only", R81)
                .needs(LIST_SNAPSHOTS, CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    Volume source = run.volume("source");
                    run.snapshot(source);
                    String wanted = run.snapshot(source).getSnapshotId();
                    run.must(
                            ids(run, listRequest(run).setSnapshotId(wanted), 0).equals(List.of(wanted)),
                            "the filter by id returned something else");
                });
        checks.check("list-snapshots.by-source", "The filter by source returns the snapshots of that volume only", R81)
                .needs(LIST_SNAPSHOTS, CREATE_DELETE_SNAPSHOT, CREATE_DELETE_VOLUME)
                .run(run -> {
                    Volume source = run.volume("source");
                    run.snapshot(run.volume("other"));
                    String wanted = run.snapshot(source).getSnapshotId();
                    run.must(
                            ids(run, listRequest(run).setSourceVolumeId(source.getVolumeId()), 0)
                                    .equals(List.of(wanted)),
                            "the filter by source returned something else");
                });
        checks.check("list-snapshots.unknown", "A filter by an unknown id gives an empty list", R81)
                .needs(LIST_SNAPSHOTS)
                .run(run -> {
                    another(run);
                    run.must(
                            ids(run, listRequest(run).setSnapshotId("csi4j-unknown-snapshot"), 0)
                                    .isEmpty(),
                            "an unknown snapshot_id gives entries");
                    run.must(
                            ids(run, listRequest(run).setSourceVolumeId(Run.UNKNOWN), 0)
                                    .isEmpty(),
                            "an unknown source_volume_id gives entries");
                });
        checks.check("list-snapshots.created-and-deleted", "A new snapshot is listed, and a deleted one is not", R81)
                .needs(LIST_SNAPSHOTS, CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    String id = run.snapshot(run.volume("source")).getSnapshotId();
                    run.must(ids(run, listRequest(run), 0).contains(id), "the new snapshot is not listed");
                    run.controller().deleteSnapshot(run.deleteSnapshotRequest(id));
                    run.must(!ids(run, listRequest(run), 0).contains(id), "the deleted snapshot is still listed");
                });
        checks.check(
                        "list-snapshots.pages",
                        "Pages have at most max_entries entries, and together all snapshots",
                        R70,
                        R81)
                .needs(LIST_SNAPSHOTS, CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    Volume source = run.volume("source");
                    List<String> own = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        own.add(run.snapshot(source).getSnapshotId());
                    }
                    List<String> listed = ids(run, listRequest(run), 2);
                    run.must(
                            R70,
                            listed.containsAll(own),
                            "a snapshot is on no page, and the last page has no next_token");
                });
        checks.check("list-snapshots.bad-token", "A token that no list has returned is ABORTED", R72, R81)
                .needs(LIST_SNAPSHOTS)
                .run(run -> {
                    another(run);
                    run.refused(
                            () -> run.controller()
                                    .listSnapshots(listRequest(run)
                                            .setStartingToken("invalid-token")
                                            .build()),
                            Code.ABORTED);
                });
        checks.check("get-snapshot.works", "GetSnapshot returns an existing snapshot", R81)
                .needs(GET_SNAPSHOT, CREATE_DELETE_SNAPSHOT, A_VOLUME)
                .run(run -> {
                    Snapshot made = run.snapshot(run.volume("source"));
                    Snapshot got = run.controller()
                            .getSnapshot(getRequest(run, made.getSnapshotId()))
                            .getSnapshot();
                    run.must(
                            got.getSnapshotId().equals(made.getSnapshotId())
                                    && got.getSourceVolumeId().equals(made.getSourceVolumeId()),
                            "the answer is for another snapshot");
                });
        checks.check("get-snapshot.no-id", "GetSnapshot without an id is refused", R22)
                .needs(GET_SNAPSHOT)
                .run(run ->
                        run.refused(() -> run.controller().getSnapshot(getRequest(run, "")), Code.INVALID_ARGUMENT));
        checks.check("get-snapshot.unknown", "Getting a snapshot that does not exist is NOT_FOUND", R81)
                .needs(GET_SNAPSHOT)
                .run(run -> {
                    another(run);
                    run.refused(
                            () -> run.controller().getSnapshot(getRequest(run, "csi4j-unknown-snapshot")),
                            Code.NOT_FOUND);
                });
    }

    /** Makes a snapshot that the call of the check does not name, so that a plugin without any is not right by chance. */
    private static void another(Run run) {
        if (run.has(CREATE_DELETE_SNAPSHOT) && run.has(A_VOLUME)) {
            run.snapshot(run.volume("source"));
        }
    }

    private static GetSnapshotRequest getRequest(Run run, String id) {
        return GetSnapshotRequest.newBuilder()
                .setSnapshotId(id)
                .putAllSecrets(run.secrets("GetSnapshot"))
                .build();
    }

    private static ListSnapshotsRequest.Builder listRequest(Run run) {
        return ListSnapshotsRequest.newBuilder().putAllSecrets(run.secrets("ListSnapshots"));
    }

    private static List<String> ids(Run run, ListSnapshotsRequest.Builder request, int maxEntries) {
        List<String> found = new ArrayList<>();
        request.setMaxEntries(maxEntries);
        PageTokens tokens = new PageTokens(run);
        while (true) {
            ListSnapshotsResponse response = run.controller().listSnapshots(request.build());
            run.must(
                    R70,
                    maxEntries == 0 || response.getEntriesCount() <= maxEntries,
                    "a page has " + response.getEntriesCount() + " entries; max_entries was " + maxEntries);
            List<String> page = response.getEntriesList().stream()
                    .map(entry -> entry.getSnapshot().getSnapshotId())
                    .toList();
            found.addAll(page);
            String token = tokens.next(response.getNextToken(), page);
            if (token.isEmpty()) {
                return found;
            }
            request.setStartingToken(token);
        }
    }
}
