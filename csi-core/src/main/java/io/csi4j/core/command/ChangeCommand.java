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

/** About changes of a volume that its plugin has to make: the wish before the call, what came of it after (I5). */
public sealed interface ChangeCommand extends Command {
    /** The volume it is about. */
    VolumeKey key();

    /**
     * The volume is to grow: ControllerExpandVolume is about to be called. What the host declares about the size is
     * changed as well, by the rules of merging. The same wish again changes nothing while it is being fulfilled.
     *
     * @param range the size it should have
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
     * The controller's step of an expansion is done (R82), or the plugin has none.
     *
     * @param volumeIndex the create index of the volume it was for: one registered since under the name is another
     * @param range the wish it was for
     * @param capacityBytes the size the volume has; 0: not told
     * @param nodesToo whether nodes have to do their step (R83)
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
     * The controller's step of an expansion failed, or its outcome is unknown.
     *
     * @param range the wish it was for
     * @param attempt what happened; without a time for the next attempt it was refused
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
     * The controller's step of an expansion is not wanted any more. What a call that is under way comes to is written
     * all the same: a volume that grew has grown.
     *
     * @param volumeIndex the create index of the volume it was for: one registered since under the name is another
     * @param range the wish that ends; one that is another by now is left alone, and so is one that the controller
     *     fulfilled
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
     * A node's step of an expansion is done, or failed (R94, R95).
     *
     * @param allocationId for whose claim
     * @param claimIndex the index at which the claim was taken
     * @param range the wish it was for
     * @param capacityBytes the size the node told; 0: none
     * @param attempt what failed, without a time for the next attempt if it must not be tried again; empty: it is done
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
     * Mutable parameters are to change: ControllerModifyVolume is about to be called. A wish that is being fulfilled
     * is widened by a newer one.
     *
     * @param changes the parameters that are to change
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record BeginModification(VolumeKey key, Map<String, String> changes, Instant at) implements ChangeCommand {
        public BeginModification {
            Objects.requireNonNull(key, "key");
            changes = Map.copyOf(Text.checked("BeginModification: changes", changes));
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.beginModification(this);
        }

        /** Leaves the values out: they are the plugin's and opaque. */
        @Override
        public String toString() {
            return "BeginModification[key=" + key + ", changes=" + changes.size() + " not shown, at=" + at + "]";
        }
    }

    /**
     * The plugin took parameters (R74): they are declared from now on, and no longer wished for.
     *
     * @param volumeIndex the create index of the volume it was for: one registered since under the name is another
     * @param wishIndex the index of the wish it was called for: what is wished since is not fulfilled by it, even if
     *     it is the same once more, for there may have been another wish in between
     * @param changes the parameters it took
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordModified(VolumeKey key, long volumeIndex, long wishIndex, Map<String, String> changes, Instant at)
            implements ChangeCommand {
        public RecordModified {
            Objects.requireNonNull(key, "key");
            changes = Map.copyOf(Text.checked("RecordModified: changes", changes));
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordModified(this);
        }

        /** Leaves the values out: they are the plugin's and opaque. */
        @Override
        public String toString() {
            return "RecordModified[key=" + key + ", wishIndex=" + wishIndex + ", changes=" + changes.size()
                    + " not shown, at=" + at + "]";
        }
    }

    /**
     * A call to change parameters begins: stored before the call, so that each later leader knows of it.
     *
     * @param wishIndex the index of the wish the call is made for; refused if that is another one by now
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record BeginModificationCall(VolumeKey key, long wishIndex, Instant at) implements ChangeCommand {
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
     * ControllerModifyVolume failed, or its outcome is unknown.
     *
     * @param wishIndex the index of the wish it was called for; one that is another by now is left alone
     * @param attempt what happened; without a time for the next attempt it was refused, and nothing was applied: left
     *     alone if another call has begun since
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordModificationError(VolumeKey key, long wishIndex, Attempt attempt, Instant at)
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
     * Has one method for each type of command; a class that implements it cannot omit a type.
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
