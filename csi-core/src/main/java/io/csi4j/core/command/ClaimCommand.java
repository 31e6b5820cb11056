package io.csi4j.core.command;

import io.csi4j.core.csi.Text;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.ClaimState;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** About the claims of allocations. */
public sealed interface ClaimCommand extends Command {
    /**
     * Claims all volumes an allocation needs, or none of them. The provider's id of the node is looked up, and where
     * the controller has to publish, the intent to do so is written, in the same transaction.
     *
     * @param requests at least one; several of one volume are {@link ClaimRequest#merged}
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record TakeClaims(AllocationId allocationId, List<ClaimRequest> requests, Instant at) implements ClaimCommand {
        /**
         * Checks that there is something to claim.
         *
         * @throws IllegalArgumentException if no volume is named
         */
        public TakeClaims {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(at, "at");
            requests = ClaimRequest.checked(allocationId, requests);
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.takeClaims(this);
        }
    }

    /**
     * Records how far a claim has come. The state it is in already, or was in before, changes nothing; it moves
     * forward by one step only. With an attempt, one failed attempt at the present step is recorded.
     *
     * @param ifTakenIndex only the claim with this {@link io.csi4j.core.volume.Claim#takenIndex()}, and not one that
     *     the allocation took or asked for again since: a command may come through long after it was proposed; 0:
     *     whichever it has
     * @param state the state reached, or the present one
     * @param attempt a failed attempt at the next step; empty: none
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record CheckpointClaim(
            VolumeKey key,
            AllocationId allocationId,
            long ifTakenIndex,
            ClaimState state,
            Optional<Attempt> attempt,
            Instant at)
            implements ClaimCommand {
        /**
         * For whichever claim the allocation has.
         *
         * @param state the state reached, or the present one
         * @param attempt a failed attempt at the next step; empty: none
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public CheckpointClaim(
                VolumeKey key, AllocationId allocationId, ClaimState state, Optional<Attempt> attempt, Instant at) {
            this(key, allocationId, 0, state, attempt, at);
        }

        /** @throws IllegalArgumentException if the index is negative */
        public CheckpointClaim {
            Indexes.check("CheckpointClaim", "ifTakenIndex", ifTakenIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(attempt, "attempt");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.checkpointClaim(this);
        }
    }

    /**
     * Removes a claim that is READY_TO_FREE, or that the operator overrode. One that is not there is freed already.
     *
     * @param ifCreateIndex only the claim that was taken at this index; 0: whichever it has
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record FreeClaim(VolumeKey key, AllocationId allocationId, long ifCreateIndex, Instant at) implements ClaimCommand {
        /**
         * For whichever claim the allocation has.
         *
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public FreeClaim(VolumeKey key, AllocationId allocationId, Instant at) {
            this(key, allocationId, 0, at);
        }

        /** @throws IllegalArgumentException if the index is negative */
        public FreeClaim {
            Indexes.check("FreeClaim", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.freeClaim(this);
        }
    }

    /**
     * The operator's word that nothing is left on the node: the claim is released without the node's confirmation, on
     * record (N2). Refused if it names no claim index and the allocation has no claim.
     *
     * @param ifCreateIndex only the claim that was taken at this index: the word is for no other; 0: whichever it has
     * @param who who says so
     * @param why on what grounds
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record OverrideClaim(
            VolumeKey key, AllocationId allocationId, long ifCreateIndex, String who, String why, Instant at)
            implements ClaimCommand {
        /**
         * For whichever claim the allocation has.
         *
         * @param who who says so
         * @param why on what grounds
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         * @throws IllegalArgumentException if the record does not say who and why
         */
        public OverrideClaim(VolumeKey key, AllocationId allocationId, String who, String why, Instant at) {
            this(key, allocationId, 0, who, why, at);
        }

        /**
         * Checks that the record says who and why.
         *
         * @throws IllegalArgumentException if one of them is empty, or the index is negative
         */
        public OverrideClaim {
            Indexes.check("OverrideClaim", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
            Text.checked("OverrideClaim: who", who);
            Text.checked("OverrideClaim: why", why);
            Objects.requireNonNull(at, "at");
            if (who.isEmpty() || why.isEmpty()) {
                throw new IllegalArgumentException("OverrideClaim: say who overrides, and why; it is kept on record");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.overrideClaim(this);
        }
    }

    /**
     * Has one method for each type of command; a class that implements it cannot omit a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R takeClaims(TakeClaims command);

        R checkpointClaim(CheckpointClaim command);

        R freeClaim(FreeClaim command);

        R overrideClaim(OverrideClaim command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
