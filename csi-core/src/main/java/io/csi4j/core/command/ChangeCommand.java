package io.csi4j.core.command;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Text;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Attempt;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Commands that record requested changes of a volume (expansion, modified parameters) before the plugin is called, and
 * the results of the calls.
 */
public sealed interface ChangeCommand extends Command {
    VolumeKey key();

    /**
     * Records the intent to expand a volume, before ControllerExpandVolume is called. The command also changes the
     * declared capacity of the volume, as {@link VolumeCommand.RegisterVolume} does for a registered volume. A repeated
     * request has no effect while the expansion is in progress.
     *
     * @param range the requested capacity
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record BeginExpansion(VolumeKey key, CapacityRange range, Instant at) implements ChangeCommand {
        public BeginExpansion {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(range, "range");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.beginExpansion(this);
        }
    }

    /**
     * Records that the controller has expanded the volume (R82), or that the plugin has no controller expansion.
     *
     * @param volumeIndex the create index of the volume; a newer volume with the same key is not changed
     * @param range the requested capacity for which the call was made
     * @param capacityBytes the capacity that the plugin reported, in bytes; 0 if it reported none
     * @param nodesToo whether the nodes must expand the volume as well (R83)
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordExpanded(
            VolumeKey key, long volumeIndex, CapacityRange range, long capacityBytes, boolean nodesToo, Instant at)
            implements ChangeCommand {
        public RecordExpanded {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(range, "range");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordExpanded(this);
        }
    }

    /**
     * Records that the expansion by the controller failed, or that its outcome is unknown.
     *
     * @param range the requested capacity for which the call was made
     * @param attempt the failed attempt; without a time for the next attempt, it means that the plugin refused the
     *     expansion permanently
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordExpansionError(VolumeKey key, CapacityRange range, Attempt attempt, Instant at)
            implements ChangeCommand {
        public RecordExpansionError {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(range, "range");
            Objects.requireNonNull(attempt, "attempt");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordExpansionError(this);
        }
    }

    /**
     * Withdraws a requested expansion that the controller has not done yet. The result of a call in flight is still
     * recorded, because the volume may have grown.
     *
     * @param volumeIndex the create index of the volume; a newer volume with the same key is not changed
     * @param range the requested capacity of the expansion to withdraw; an expansion to another capacity, or one that
     *     the controller has done, stays
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record WithdrawExpansion(VolumeKey key, long volumeIndex, CapacityRange range, Instant at)
            implements ChangeCommand {
        public WithdrawExpansion {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(range, "range");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.withdrawExpansion(this);
        }
    }

    /**
     * Records that the expansion of a volume on the node of a claim succeeded or failed (R94, R95).
     *
     * @param allocationId the allocation whose claim was expanded on its node
     * @param claimIndex the index at which the claim was taken
     * @param range the requested capacity for which the call was made
     * @param capacityBytes the capacity that the node reported, in bytes; 0 if it reported none
     * @param attempt the failed attempt, without a time for the next attempt if the call must not be retried; empty if
     *     the expansion succeeded
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordNodeExpansion(
            VolumeKey key,
            AllocationId allocationId,
            long claimIndex,
            CapacityRange range,
            long capacityBytes,
            Optional<Attempt> attempt,
            Instant at)
            implements ChangeCommand {
        public RecordNodeExpansion {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(range, "range");
            Objects.requireNonNull(attempt, "attempt");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordNodeExpansion(this);
        }
    }

    /**
     * Records the intent to change mutable parameters, before ControllerModifyVolume is called. Parameters of a newer
     * request are added to those of a request in progress.
     *
     * @param changes the parameters to change
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record BeginModification(VolumeKey key, Map<String, String> changes, Instant at) implements ChangeCommand {
        public BeginModification {
            Objects.requireNonNull(key, "key");
            changes = Text.checked("BeginModification: changes", changes);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.beginModification(this);
        }

        /** Omits the parameter values, because they are opaque and may be confidential. */
        @Override
        public String toString() {
            return "BeginModification[key=" + key + ", changes=" + changes.size() + " not shown, at=" + at + "]";
        }
    }

    /**
     * Records that the plugin has changed parameters (R74). The parameters become part of the volume's specification,
     * and the requested change is done.
     *
     * @param volumeIndex the create index of the volume; a newer volume with the same key is not changed
     * @param requestIndex the index of the requested change for which the call was made. A later request with the same
     *     values stays open, because a request with other values may have been made between the two
     * @param changes the parameters that the plugin accepted
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordModified(VolumeKey key, long volumeIndex, long requestIndex, Map<String, String> changes, Instant at)
            implements ChangeCommand {
        public RecordModified {
            Objects.requireNonNull(key, "key");
            changes = Text.checked("RecordModified: changes", changes);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordModified(this);
        }

        /** Omits the parameter values, because they are opaque and may be confidential. */
        @Override
        public String toString() {
            return "RecordModified[key=" + key + ", requestIndex=" + requestIndex + ", changes=" + changes.size()
                    + " not shown, at=" + at + "]";
        }
    }

    /**
     * Records that a call to change parameters begins. The command is applied before the call is sent, so that every
     * later leader knows that the call may have run.
     *
     * @param requestIndex the index of the requested change; the command is rejected if the requested change of the
     *     volume has another index now
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record BeginModificationCall(VolumeKey key, long requestIndex, Instant at) implements ChangeCommand {
        public BeginModificationCall {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.beginModificationCall(this);
        }
    }

    /**
     * Records that ControllerModifyVolume failed, or that its outcome is unknown.
     *
     * @param requestIndex the index of the requested change for which the call was made; a newer request is not changed
     * @param attempt the failed attempt. Without a time for the next attempt, it means that the plugin refused the
     *     change and applied nothing; the command then has no effect if another call has begun in the meantime
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordModificationError(VolumeKey key, long requestIndex, Attempt attempt, Instant at)
            implements ChangeCommand {
        public RecordModificationError {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(attempt, "attempt");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordModificationError(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R beginExpansion(BeginExpansion command);

        R recordExpanded(RecordExpanded command);

        R recordExpansionError(RecordExpansionError command);

        R withdrawExpansion(WithdrawExpansion command);

        R recordNodeExpansion(RecordNodeExpansion command);

        R beginModification(BeginModification command);

        R recordModified(RecordModified command);

        R beginModificationCall(BeginModificationCall command);

        R recordModificationError(RecordModificationError command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
