package io.csi4j.core.snapshot;

import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Retry;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * The row of a snapshot. It is stored before the first CreateSnapshot, and stays until the storage provider has removed
 * the snapshot.
 *
 * @param deletionRequested whether the snapshot is to be deleted as soon as its creation has ended
 * @param provided the snapshot as the plugin last described it; empty until an answer to CreateSnapshot is stored
 * @param content facts about the content, which a restored volume has to fit
 * @param retry the failed attempts in this phase
 * @param createIndex the index of the command that added the row
 * @param modifyIndex the revision: the index of the last command that changed the row
 * @param createdAt the time in the command that added the row
 */
public record VolumeSnapshot(
        SnapshotKey key,
        SnapshotSpec spec,
        SnapshotPhase phase,
        boolean deletionRequested,
        Optional<Snapshot> provided,
        SnapshotContent content,
        Retry retry,
        long createIndex,
        long modifyIndex,
        Instant createdAt) {
    public VolumeSnapshot {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(spec, "spec");
        Objects.requireNonNull(phase, "phase");
        Objects.requireNonNull(provided, "provided");
        Objects.requireNonNull(content, "content");
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(createdAt, "createdAt");
    }

    /** Returns the row of a snapshot whose creation begins. */
    public static VolumeSnapshot creating(
            SnapshotKey key, SnapshotSpec spec, SnapshotContent content, long index, Instant at) {
        return new VolumeSnapshot(
                key, spec, SnapshotPhase.CREATING, false, Optional.empty(), content, Retry.none(), index, index, at);
    }

    /** Returns the storage provider's id; empty if it is not known. */
    public Optional<SnapshotId> snapshotId() {
        return provided.map(Snapshot::snapshotId);
    }

    /** Returns whether the leader has a call to make for this row. */
    public boolean unsettled() {
        return phase == SnapshotPhase.CREATING || phase == SnapshotPhase.DELETING;
    }

    /** Returns whether a call may still read the source volume, so that the volume must not be deleted. */
    public boolean readsSource() {
        return phase == SnapshotPhase.CREATING && provided.isEmpty();
    }

    /** Returns whether a request with this intent asks for the snapshot of this row. */
    public boolean isAskedBy(SnapshotSpec asked) {
        return !deletionRequested && phase != SnapshotPhase.DELETING && spec.asks(asked);
    }

    /** Returns the same row with another revision. */
    public VolumeSnapshot modified(long index) {
        return with(phase, provided, retry, index);
    }

    /**
     * Returns the size that a volume restored from this snapshot has at least: the larger one of the size that the plugin
     * reports and the size of the source volume.
     *
     * @return 0 if it is not known
     */
    public long leastBytes() {
        return Math.max(provided.map(Snapshot::sizeBytes).orElse(0L), content.capacityBytes());
    }

    /** Returns the row with the facts about the volume as it is right before a CreateSnapshot. */
    public VolumeSnapshot cutFrom(SnapshotContent now) {
        return new VolumeSnapshot(
                key, spec, phase, deletionRequested, provided, now, retry, createIndex, modifyIndex, createdAt);
    }

    /** Returns the row after the start of a call was recorded. */
    public VolumeSnapshot begun(long index) {
        return with(phase, provided, retry.begun(index), index);
    }

    /** Returns the row of a snapshot in creation after the plugin has described the snapshot. */
    public VolumeSnapshot described(Snapshot answer, long index) {
        SnapshotPhase next = answer.readyToUse() ? SnapshotPhase.READY : SnapshotPhase.CREATING;
        return with(deletionRequested ? SnapshotPhase.DELETING : next, Optional.of(answer), Retry.none(), index);
    }

    /**
     * Returns the row after a failed call. A final refusal of a creation ends the creation. The storage provider may then
     * have a snapshot that nothing here names, if an earlier call has no known outcome.
     */
    public VolumeSnapshot failed(Attempt attempt, long index) {
        Retry after = retry.plus(attempt);
        if (phase != SnapshotPhase.CREATING || !after.refused()) {
            return with(phase, provided, after, index);
        }
        if (provided.isPresent()) {
            return deletionRequested
                    ? with(SnapshotPhase.DELETING, provided, Retry.none(), index)
                    : with(SnapshotPhase.FAILED, provided, after, index);
        }
        boolean leaked = after.unresolved().isPresent();
        return with(leaked ? SnapshotPhase.MAYBE_LEAKED : SnapshotPhase.FAILED, provided, after, index);
    }

    /** Returns the row after a request to delete the snapshot. A creation with an unknown outcome is finished first. */
    public VolumeSnapshot deleting(long index) {
        boolean begins = provided.isPresent() && phase != SnapshotPhase.DELETING;
        return new VolumeSnapshot(
                key,
                spec,
                begins ? SnapshotPhase.DELETING : phase,
                true,
                provided,
                content,
                begins ? Retry.none() : retry,
                createIndex,
                index,
                createdAt);
    }

    private VolumeSnapshot with(SnapshotPhase newPhase, Optional<Snapshot> answer, Retry attempts, long index) {
        return new VolumeSnapshot(
                key, spec, newPhase, deletionRequested, answer, content, attempts, createIndex, index, createdAt);
    }
}
