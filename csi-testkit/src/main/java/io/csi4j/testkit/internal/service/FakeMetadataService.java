package io.csi4j.testkit.internal.service;

import io.csi4j.proto.csi.v1.BlockMetadata;
import io.csi4j.proto.csi.v1.BlockMetadataType;
import io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest;
import io.csi4j.proto.csi.v1.GetMetadataAllocatedResponse;
import io.csi4j.proto.csi.v1.GetMetadataDeltaRequest;
import io.csi4j.proto.csi.v1.GetMetadataDeltaResponse;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.rule.FieldRules;
import io.csi4j.testkit.internal.rule.Problems;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.BlockMap;
import io.csi4j.testkit.internal.storage.SnapshotRecord;
import io.csi4j.testkit.internal.storage.StoredSnapshots;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Function;

/**
 * The SnapshotMetadata service (R101-R103). Sends no faster than the caller reads. A new call can resume a stream at
 * any offset.
 */
public final class FakeMetadataService extends SnapshotMetadataGrpc.SnapshotMetadataImplBase {
    private static final int PAGE = 256;

    private final StoredSnapshots snapshots;

    public FakeMetadataService(Backend backend) {
        this.snapshots = new StoredSnapshots(backend);
    }

    @Override
    public void getMetadataAllocated(
            GetMetadataAllocatedRequest request, StreamObserver<GetMetadataAllocatedResponse> caller) {
        try {
            Problems problems = new Problems();
            FieldRules.check(request, problems);
            problems.required(request.getSnapshotId(), "snapshot_id");
            check(request.getStartingOffset(), request.getMaxResults(), problems);
            long capacity = capacity(blockSnapshot(request.getSnapshotId()), request.getStartingOffset());
            BlockMap blocks = snapshots.blocks(request.getSnapshotId());
            BlockRuns runs = new BlockRuns(
                    capacity, request.getStartingOffset(), page(request.getMaxResults()), blocks::allocated);
            send(
                    caller,
                    runs,
                    List.of(blocks),
                    ranges -> GetMetadataAllocatedResponse.newBuilder()
                            .setBlockMetadataType(BlockMetadataType.VARIABLE_LENGTH)
                            .setVolumeCapacityBytes(capacity)
                            .addAllBlockMetadata(ranges)
                            .build());
        } catch (RuntimeException e) {
            caller.onError(Answer.error(e));
        }
    }

    @Override
    public void getMetadataDelta(GetMetadataDeltaRequest request, StreamObserver<GetMetadataDeltaResponse> caller) {
        try {
            Problems problems = new Problems();
            FieldRules.check(request, problems);
            problems.required(request.getBaseSnapshotId(), "base_snapshot_id");
            problems.required(request.getTargetSnapshotId(), "target_snapshot_id");
            check(request.getStartingOffset(), request.getMaxResults(), problems);
            SnapshotRecord base = blockSnapshot(request.getBaseSnapshotId());
            SnapshotRecord target = blockSnapshot(request.getTargetSnapshotId());
            if (!base.snapshot().getSourceVolumeId().equals(target.snapshot().getSourceVolumeId())) {
                throw CallRefusal.invalid("base_snapshot_id: '" + base.id() + "' and '" + target.id()
                        + "' are snapshots of different volumes; compare two of one volume (R103)");
            }
            long capacity = capacity(target, request.getStartingOffset());
            BlockMap before = snapshots.blocks(base.id());
            BlockMap after = snapshots.blocks(target.id());
            BlockRuns runs = new BlockRuns(
                    capacity,
                    request.getStartingOffset(),
                    page(request.getMaxResults()),
                    number -> after.differs(before, number));
            send(
                    caller,
                    runs,
                    List.of(before, after),
                    ranges -> GetMetadataDeltaResponse.newBuilder()
                            .setBlockMetadataType(BlockMetadataType.VARIABLE_LENGTH)
                            .setVolumeCapacityBytes(capacity)
                            .addAllBlockMetadata(ranges)
                            .build());
        } catch (RuntimeException e) {
            caller.onError(Answer.error(e));
        }
    }

    private static void check(long startingOffset, int maxResults, Problems problems) {
        problems.require(startingOffset >= 0, "starting_offset", "is negative (R23, R103)");
        problems.require(maxResults >= 0, "max_results", "is negative; zero leaves it to the plugin (R23, R103)");
        problems.refuseIfAny();
    }

    private static int page(int maxResults) {
        return maxResults == 0 ? PAGE : Math.min(PAGE, maxResults);
    }

    private SnapshotRecord blockSnapshot(String snapshotId) {
        SnapshotRecord record = snapshots.get(snapshotId);
        if (!record.block()) {
            throw CallRefusal.invalid("snapshot_id: '" + snapshotId
                    + "' is of a mount volume, which has no blocks; ask for one of a block volume (R103)");
        }
        return record;
    }

    private static long capacity(SnapshotRecord record, long startingOffset) {
        long capacity = record.snapshot().getSizeBytes();
        if (startingOffset > capacity) {
            throw CallRefusal.outOfRange("starting_offset: is behind the end of snapshot '" + record.id()
                    + "', which has " + capacity + " bytes (R103)");
        }
        return capacity;
    }

    private static <T> void send(
            StreamObserver<T> caller, BlockRuns runs, List<BlockMap> maps, Function<List<BlockMetadata>, T> message) {
        ServerCallStreamObserver<T> stream = (ServerCallStreamObserver<T>) caller;
        Sending<T> sending = new Sending<>(stream, runs, maps, message);
        stream.setOnCancelHandler(sending::close);
        stream.setOnReadyHandler(sending::continueWhileReady);
    }

    /** One stream; gRPC calls its methods one at a time. */
    private static final class Sending<T> {
        private final ServerCallStreamObserver<T> stream;
        private final BlockRuns runs;
        private final List<BlockMap> maps;
        private final Function<List<BlockMetadata>, T> message;
        private boolean begun;
        private boolean ended;

        Sending(
                ServerCallStreamObserver<T> stream,
                BlockRuns runs,
                List<BlockMap> maps,
                Function<List<BlockMetadata>, T> message) {
            this.stream = stream;
            this.runs = runs;
            this.maps = maps;
            this.message = message;
        }

        void continueWhileReady() {
            try {
                while (!ended && stream.isReady()) {
                    List<BlockMetadata> ranges = runs.page();
                    // The first message is sent even without ranges, because it contains the capacity.
                    if (!begun || !ranges.isEmpty()) {
                        stream.onNext(message.apply(ranges));
                        begun = true;
                    }
                    if (runs.done()) {
                        close();
                        stream.onCompleted();
                    }
                }
            } catch (RuntimeException e) {
                close();
                stream.onError(Answer.error(e));
            }
        }

        void close() {
            ended = true;
            maps.forEach(BlockMap::close);
        }
    }
}
