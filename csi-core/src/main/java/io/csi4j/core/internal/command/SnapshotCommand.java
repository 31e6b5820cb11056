package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.snapshot.SnapshotSpec;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.OperatorOverride;
import java.time.Instant;
import java.util.Objects;

/** Commands about snapshots ({@link VolumeSnapshot}). */
public sealed interface SnapshotCommand extends Command {
    SnapshotKey key();

    /**
     * Stores the intent to create a snapshot. Has no effect if the state has the snapshot with the same intent; the
     * names at the storage provider are not compared, because each request brings another one.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record CreateSnapshot(SnapshotKey key, SnapshotSpec spec, Instant at) implements SnapshotCommand {
        public CreateSnapshot {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(spec, "spec");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.createSnapshot(this);
        }
    }

    /**
     * Records that CreateSnapshot is about to be called.
     *
     * @param createIndex the index of the command that added the row
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record BeginSnapshot(SnapshotKey key, long createIndex, Instant at) implements SnapshotCommand {
        /** @throws IllegalArgumentException if {@code createIndex} is negative */
        public BeginSnapshot {
            Objects.requireNonNull(key, "key");
            Indexes.check("BeginSnapshot", "createIndex", createIndex);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.beginSnapshot(this);
        }
    }

    /**
     * Records the plugin's description of a snapshot in creation. Has no effect if the state does not have the snapshot
     * in creation.
     *
     * @param createIndex the index of the command that added the row
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordSnapshot(SnapshotKey key, long createIndex, Snapshot provided, Instant at) implements SnapshotCommand {
        /** @throws IllegalArgumentException if {@code createIndex} is negative */
        public RecordSnapshot {
            Objects.requireNonNull(key, "key");
            Indexes.check("RecordSnapshot", "createIndex", createIndex);
            Objects.requireNonNull(provided, "provided");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordSnapshot(this);
        }
    }

    /**
     * Records a failed call for a snapshot. Has no effect if the snapshot is not in creation or deletion, as the call was.
     *
     * @param createIndex the index of the command that added the row
     * @param deletion whether the call was a DeleteSnapshot
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordSnapshotError(SnapshotKey key, long createIndex, boolean deletion, Attempt attempt, Instant at)
            implements SnapshotCommand {
        /** @throws IllegalArgumentException if {@code createIndex} is negative */
        public RecordSnapshotError {
            Objects.requireNonNull(key, "key");
            Indexes.check("RecordSnapshotError", "createIndex", createIndex);
            Objects.requireNonNull(attempt, "attempt");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordSnapshotError(this);
        }
    }

    /**
     * Requests the deletion of a snapshot. The row stays until the storage provider has no such snapshot.
     *
     * @param ifCreateIndex the command applies only to the snapshot that was added at this index; with 0 it applies to
     *     any snapshot with the key
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record DeleteSnapshot(SnapshotKey key, long ifCreateIndex, Instant at) implements SnapshotCommand {
        /** @throws IllegalArgumentException if {@code ifCreateIndex} is negative */
        public DeleteSnapshot {
            Objects.requireNonNull(key, "key");
            Indexes.check("DeleteSnapshot", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.deleteSnapshot(this);
        }
    }

    /**
     * Removes the row of a snapshot in deletion, because the storage provider has removed the snapshot. Has no effect if
     * the state does not have the snapshot in deletion.
     *
     * @param createIndex the index of the command that added the row
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RemoveSnapshot(SnapshotKey key, long createIndex, Instant at) implements SnapshotCommand {
        /** @throws IllegalArgumentException if {@code createIndex} is negative */
        public RemoveSnapshot {
            Objects.requireNonNull(key, "key");
            Indexes.check("RemoveSnapshot", "createIndex", createIndex);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.removeSnapshot(this);
        }
    }

    /**
     * Removes a row without a call to the plugin, on the word of an operator.
     *
     * @param createIndex the index of the command that added the row
     * @param forgotten who decided it, when and why
     */
    record ForgetSnapshot(SnapshotKey key, long createIndex, OperatorOverride forgotten) implements SnapshotCommand {
        /** @throws IllegalArgumentException if {@code createIndex} is negative */
        public ForgetSnapshot {
            Objects.requireNonNull(key, "key");
            Indexes.check("ForgetSnapshot", "createIndex", createIndex);
            Objects.requireNonNull(forgotten, "forgotten");
        }

        @Override
        public Instant at() {
            return forgotten.at();
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.forgetSnapshot(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R createSnapshot(CreateSnapshot command);

        R beginSnapshot(BeginSnapshot command);

        R recordSnapshot(RecordSnapshot command);

        R recordSnapshotError(RecordSnapshotError command);

        R deleteSnapshot(DeleteSnapshot command);

        R removeSnapshot(RemoveSnapshot command);

        R forgetSnapshot(ForgetSnapshot command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
