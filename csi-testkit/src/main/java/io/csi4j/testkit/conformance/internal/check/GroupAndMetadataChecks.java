package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.Requirement;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** Checks group snapshots and the metadata of snapshots. */
final class GroupAndMetadataChecks {
    private GroupAndMetadataChecks() {}

    static void addTo(Checks checks) {
        groups(checks);
        memberChecks(checks);
        metadata(checks);
    }

    static CreateVolumeGroupSnapshotRequest.Builder groupRequest(Run run, List<String> sources) {
        return CreateVolumeGroupSnapshotRequest.newBuilder()
                .setName(run.name("group"))
                .addAllSourceVolumeIds(sources)
                .putAllSecrets(run.secrets("CreateVolumeGroupSnapshot"));
    }

    static List<String> twoVolumes(Run run) {
        return List.of(run.volume("member").getVolumeId(), run.volume("member").getVolumeId());
    }

    static DeleteVolumeGroupSnapshotRequest deleteRequest(Run run, VolumeGroupSnapshot group) {
        return DeleteVolumeGroupSnapshotRequest.newBuilder()
                .setGroupSnapshotId(group.getGroupSnapshotId())
                .addAllSnapshotIds(group.getSnapshotsList().stream()
                        .map(Snapshot::getSnapshotId)
                        .toList())
                .putAllSecrets(run.secrets("DeleteVolumeGroupSnapshot"))
                .build();
    }

    static VolumeGroupSnapshot group(Run run, CreateVolumeGroupSnapshotRequest request) {
        VolumeGroupSnapshot group =
                run.groups().createVolumeGroupSnapshot(request).getGroupSnapshot();
        if (!group.getGroupSnapshotId().isEmpty()) {
            run.atEnd(
                    "group snapshot " + group.getGroupSnapshotId(),
                    () -> run.groups().deleteVolumeGroupSnapshot(deleteRequest(run, group)));
        }
        return group;
    }

    private static GetVolumeGroupSnapshotRequest getRequest(Run run, VolumeGroupSnapshot group) {
        return GetVolumeGroupSnapshotRequest.newBuilder()
                .setGroupSnapshotId(group.getGroupSnapshotId())
                .addAllSnapshotIds(group.getSnapshotsList().stream()
                        .map(Snapshot::getSnapshotId)
                        .toList())
                .putAllSecrets(run.secrets("GetVolumeGroupSnapshot"))
                .build();
    }

    private static VolumeGroupSnapshot unknown(String id) {
        return VolumeGroupSnapshot.newBuilder().setGroupSnapshotId(id).build();
    }

    private static void groups(Checks checks) {
        checks.check("group.no-name", "CreateVolumeGroupSnapshot without a name is refused", R22)
                .needs(GROUP_SNAPSHOTS)
                .run(run -> run.refused(
                        () -> group(
                                run,
                                groupRequest(run, List.of(Run.UNKNOWN))
                                        .clearName()
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("group.no-sources", "CreateVolumeGroupSnapshot without sources is refused", R22)
                .needs(GROUP_SNAPSHOTS)
                .run(run -> run.shouldRefuse(
                        () -> group(run, groupRequest(run, List.of()).build()), Code.INVALID_ARGUMENT));
        checks.check("group.works", "A group has one snapshot for each volume, all with the id of the group", R97)
                .needs(GROUP_SNAPSHOTS, CREATE_DELETE_VOLUME)
                .run(GroupAndMetadataChecks::works);
        checks.check("group.same-name", "The same name and sources return the same group", R97)
                .needs(GROUP_SNAPSHOTS, CREATE_DELETE_VOLUME)
                .run(run -> {
                    var request = groupRequest(run, twoVolumes(run)).build();
                    VolumeGroupSnapshot first = group(run, request);
                    VolumeGroupSnapshot second = group(run, request);
                    run.must(
                            first.getGroupSnapshotId().equals(second.getGroupSnapshotId())
                                    && ids(first).equals(ids(second)),
                            "the same name returned another group");
                });
        checks.check("group.other-sources", "The same name with other sources is ALREADY_EXISTS", R97, R99)
                .needs(GROUP_SNAPSHOTS, CREATE_DELETE_VOLUME)
                .run(run -> {
                    var request = groupRequest(run, twoVolumes(run));
                    group(run, request.build());
                    request.clearSourceVolumeIds().addAllSourceVolumeIds(twoVolumes(run));
                    run.refused(R99, () -> group(run, request.build()), Code.ALREADY_EXISTS);
                });
        checks.check("group.unknown-source", "A group with a volume that does not exist is refused", R99)
                .needs(GROUP_SNAPSHOTS)
                .run(run -> {
                    Code code = run.codeOf(() ->
                            group(run, groupRequest(run, List.of(Run.UNKNOWN)).build()));
                    run.must(code != Code.OK, "a group was made of a volume that does not exist");
                    run.should(
                            Requirement.SHOULD,
                            R99,
                            code == Code.NOT_FOUND,
                            "CreateVolumeGroupSnapshot answered " + code + "; NOT_FOUND is expected");
                });
        checks.check("group.get", "GetVolumeGroupSnapshot returns the group", R100)
                .needs(GROUP_SNAPSHOTS, CREATE_DELETE_VOLUME)
                .run(run -> {
                    VolumeGroupSnapshot made =
                            group(run, groupRequest(run, twoVolumes(run)).build());
                    VolumeGroupSnapshot got = run.groups()
                            .getVolumeGroupSnapshot(getRequest(run, made))
                            .getGroupSnapshot();
                    run.must(
                            got.getGroupSnapshotId().equals(made.getGroupSnapshotId()) && ids(got).equals(ids(made)),
                            "the answer is for another group");
                });
        checks.check("group.get-no-id", "GetVolumeGroupSnapshot without an id is refused", R22)
                .needs(GROUP_SNAPSHOTS)
                .run(run -> run.refused(
                        () -> run.groups().getVolumeGroupSnapshot(getRequest(run, unknown(""))),
                        Code.INVALID_ARGUMENT));
        checks.check("group.get-unknown", "Getting a group that does not exist is NOT_FOUND", R100)
                .needs(GROUP_SNAPSHOTS)
                .run(run -> {
                    if (run.has(CREATE_DELETE_VOLUME)) {
                        group(run, groupRequest(run, twoVolumes(run)).build());
                    }
                    run.refused(
                            () -> run.groups().getVolumeGroupSnapshot(getRequest(run, unknown("csi4j-unknown-group"))),
                            Code.NOT_FOUND);
                });
        checks.check("group.delete-no-id", "DeleteVolumeGroupSnapshot without an id is refused", R22)
                .needs(GROUP_SNAPSHOTS)
                .run(run -> run.refused(
                        () -> run.groups().deleteVolumeGroupSnapshot(deleteRequest(run, unknown(""))),
                        Code.INVALID_ARGUMENT));
        checks.check("group.delete-unknown", "Deleting a group that does not exist succeeds", R100)
                .needs(GROUP_SNAPSHOTS)
                .run(run -> run.groups().deleteVolumeGroupSnapshot(deleteRequest(run, unknown("csi4j-unknown-group"))));
        checks.check("group.delete-twice", "A deleted group is gone, and deleting it again succeeds", R100)
                .needs(GROUP_SNAPSHOTS, CREATE_DELETE_VOLUME)
                .run(run -> {
                    VolumeGroupSnapshot made =
                            group(run, groupRequest(run, twoVolumes(run)).build());
                    run.groups().deleteVolumeGroupSnapshot(deleteRequest(run, made));
                    run.refused(() -> run.groups().getVolumeGroupSnapshot(getRequest(run, made)), Code.NOT_FOUND);
                    run.groups().deleteVolumeGroupSnapshot(deleteRequest(run, made));
                });
    }

    private static void memberChecks(Checks checks) {
        checks.check(
                        "group.incomplete-delete",
                        "Deleting a group with an incomplete list of snapshots is refused",
                        R100)
                .needs(GROUP_SNAPSHOTS, CREATE_DELETE_VOLUME)
                .run(run -> {
                    VolumeGroupSnapshot made =
                            group(run, groupRequest(run, twoVolumes(run)).build());
                    run.shouldRefuse(
                            Requirement.SHOULD,
                            R100,
                            () -> run.groups()
                                    .deleteVolumeGroupSnapshot(deleteRequest(run, made).toBuilder()
                                            .clearSnapshotIds()
                                            .addSnapshotIds(made.getSnapshots(0).getSnapshotId())
                                            .build()),
                            Code.INVALID_ARGUMENT);
                });
        checks.check("group.delete-member", "DeleteSnapshot of a member of a group is refused", R80)
                .needs(GROUP_SNAPSHOTS, CREATE_DELETE_VOLUME, CREATE_DELETE_SNAPSHOT)
                .run(run -> {
                    VolumeGroupSnapshot made =
                            group(run, groupRequest(run, twoVolumes(run)).build());
                    run.refused(
                            () -> run.controller()
                                    .deleteSnapshot(run.deleteSnapshotRequest(
                                            made.getSnapshots(0).getSnapshotId())),
                            Code.INVALID_ARGUMENT);
                });
        checks.check("group.restore-member", "A volume is created from a member of a group", R97)
                .needs(GROUP_SNAPSHOTS, CREATE_DELETE_VOLUME, CREATE_DELETE_SNAPSHOT)
                .run(run -> {
                    Snapshot member = group(
                                    run, groupRequest(run, twoVolumes(run)).build())
                            .getSnapshots(0);
                    run.applies(member.getReadyToUse(), "the group is not ready at once");
                    run.succeeds(
                            R97,
                            () -> run.create(CreateFromChecks.copyRequest(
                                            run,
                                            CreateFromChecks.fromSnapshot(member.getSnapshotId()),
                                            member.getSizeBytes())
                                    .build()));
                });
    }

    private static void works(Run run) {
        List<String> sources = twoVolumes(run);
        VolumeGroupSnapshot made = group(run, groupRequest(run, sources).build());
        run.must(!made.getGroupSnapshotId().isEmpty(), "the id of the group is missing");
        run.must(made.hasCreationTime(), "creation_time is missing");
        run.must(
                made.getSnapshotsList().stream()
                        .allMatch(one -> one.getGroupSnapshotId().equals(made.getGroupSnapshotId())),
                "a snapshot has not the id of its group");
        Set<String> covered = new HashSet<>();
        made.getSnapshotsList().forEach(one -> covered.add(one.getSourceVolumeId()));
        run.must(
                covered.equals(Set.copyOf(sources)) && made.getSnapshotsCount() == sources.size(),
                "the group has not one snapshot for each volume");
        Limits.require(run, made, "the group");
    }

    private static Set<String> ids(VolumeGroupSnapshot group) {
        Set<String> ids = new HashSet<>();
        group.getSnapshotsList().forEach(one -> ids.add(one.getSnapshotId()));
        return ids;
    }

    private static void metadata(Checks checks) {
        checks.check("metadata.no-id", "GetMetadataAllocated without an id is refused", R22)
                .needs(SNAPSHOT_METADATA_SERVICE)
                .run(run -> run.refused(() -> ranges(run, "", 0), Code.INVALID_ARGUMENT));
        checks.check("metadata.unknown", "Metadata of a snapshot that does not exist are NOT_FOUND", R103)
                .needs(SNAPSHOT_METADATA_SERVICE)
                .run(run -> run.refused(() -> ranges(run, "csi4j-unknown-snapshot", 0), Code.NOT_FOUND));
        checks.check("metadata.allocated", "Allocated ranges ascend, do not overlap, and fit into the volume", R101)
                .needs(SNAPSHOT_METADATA_SERVICE, CREATE_DELETE_SNAPSHOT, CREATE_DELETE_VOLUME, BLOCK)
                .run(run -> ranges(run, written(run).getSnapshotId(), 0));
        checks.check("metadata.resume", "A stream begins at starting_offset", R102)
                .needs(SNAPSHOT_METADATA_SERVICE, CREATE_DELETE_SNAPSHOT, CREATE_DELETE_VOLUME, BLOCK)
                .run(run -> {
                    String id = written(run).getSnapshotId();
                    long offset = 1L << 20;
                    for (BlockMetadata range : ranges(run, id, offset)) {
                        run.must(
                                range.getByteOffset() + range.getSizeBytes() > offset,
                                "a range ends before starting_offset");
                    }
                });
        checks.check("metadata.bad-offset", "An offset behind the end is OUT_OF_RANGE", R103)
                .needs(SNAPSHOT_METADATA_SERVICE, CREATE_DELETE_SNAPSHOT, CREATE_DELETE_VOLUME, BLOCK)
                .run(run -> {
                    String id = written(run).getSnapshotId();
                    run.shouldRefuse(() -> ranges(run, id, 1L << 60), Code.OUT_OF_RANGE);
                });
        checks.check("metadata.delta", "Changed ranges between two snapshots ascend and do not overlap", R101)
                .needs(SNAPSHOT_METADATA_SERVICE, CREATE_DELETE_SNAPSHOT, CREATE_DELETE_VOLUME, BLOCK)
                .run(run -> {
                    Volume volume = run.volume("changed");
                    String base = run.readySnapshot(run.snapshotRequest(volume).build())
                            .getSnapshotId();
                    String target = run.readySnapshot(
                                    run.snapshotRequest(volume).build())
                            .getSnapshotId();
                    Stream stream = new Stream(run);
                    run.metadata()
                            .getMetadataDelta(GetMetadataDeltaRequest.newBuilder()
                                    .setBaseSnapshotId(base)
                                    .setTargetSnapshotId(target)
                                    .putAllSecrets(run.secrets("GetMetadataDelta"))
                                    .build())
                            .forEachRemaining(message -> stream.add(
                                    message.getBlockMetadataTypeValue(),
                                    message.getVolumeCapacityBytes(),
                                    message.getBlockMetadataList()));
                });
        checks.check("metadata.delta-unknown", "Changes from a snapshot that does not exist are NOT_FOUND", R103)
                .needs(SNAPSHOT_METADATA_SERVICE)
                .run(run -> run.refused(
                        () -> run.metadata()
                                .getMetadataDelta(GetMetadataDeltaRequest.newBuilder()
                                        .setBaseSnapshotId("csi4j-unknown-base")
                                        .setTargetSnapshotId("csi4j-unknown-target")
                                        .putAllSecrets(run.secrets("GetMetadataDelta"))
                                        .build())
                                .hasNext(),
                        Code.NOT_FOUND));
    }

    private static Snapshot written(Run run) throws IOException {
        Volume volume = run.volume("allocated");
        if (run.plugin().servesNode()) {
            PublishSteps placement = run.bringUp(volume);
            if (run.data().usable(placement.firstTarget())) {
                run.data().write(placement.firstTarget(), "allocated");
            }
        }
        return run.readySnapshot(run.snapshotRequest(volume).build());
    }

    private static List<BlockMetadata> ranges(Run run, String snapshotId, long offset) {
        Stream stream = new Stream(run);
        Iterator<GetMetadataAllocatedResponse> messages = run.metadata()
                .getMetadataAllocated(GetMetadataAllocatedRequest.newBuilder()
                        .setSnapshotId(snapshotId)
                        .setStartingOffset(offset)
                        .setMaxResults(2)
                        .putAllSecrets(run.secrets("GetMetadataAllocated"))
                        .build());
        messages.forEachRemaining(message -> stream.add(
                message.getBlockMetadataTypeValue(), message.getVolumeCapacityBytes(), message.getBlockMetadataList()));
        return stream.ranges;
    }

    /** Checks and collects the block ranges in the messages of one metadata stream. */
    private static final class Stream {
        private final Run run;
        private final List<BlockMetadata> ranges = new ArrayList<>();
        private long end;
        private long capacity = -1;
        private int type = -1;

        Stream(Run run) {
            this.run = run;
        }

        void add(int newType, long newCapacity, List<BlockMetadata> more) {
            run.must(type < 0 || type == newType, "block_metadata_type changes within the stream");
            run.must(capacity < 0 || capacity == newCapacity, "volume_capacity_bytes changes within the stream");
            run.must(newType != 0, "block_metadata_type is missing");
            type = newType;
            capacity = newCapacity;
            for (BlockMetadata range : more) {
                run.must(range.getByteOffset() >= end, "a range begins before the end of the one before");
                run.must(range.getSizeBytes() > 0, "a range has " + range.getSizeBytes() + " bytes");
                end = range.getByteOffset() + range.getSizeBytes();
                run.must(capacity <= 0 || end <= capacity, "a range ends behind the end of the volume");
                ranges.add(range);
            }
        }
    }
}
