package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Text;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

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
     * Records that the node of a claim has expanded the volume (R94, R95).
     *
     * @param allocationId the allocation whose claim was expanded on its node
     * @param claimIndex the index at which the claim was taken
     * @param range the requested capacity for which the call was made
     * @param capacityBytes the capacity that the node reported, in bytes; 0 if it reported none
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordNodeExpansion(
            VolumeKey key,
            AllocationId allocationId,
            long claimIndex,
            CapacityRange range,
            long capacityBytes,
            Instant at)
            implements ChangeCommand {
        public RecordNodeExpansion {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(range, "range");
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
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R beginExpansion(BeginExpansion command);

        R recordExpanded(RecordExpanded command);

        R withdrawExpansion(WithdrawExpansion command);

        R recordNodeExpansion(RecordNodeExpansion command);

        R beginModification(BeginModification command);

        R recordModified(RecordModified command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
