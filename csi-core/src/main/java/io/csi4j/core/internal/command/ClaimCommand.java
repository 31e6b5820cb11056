package io.csi4j.core.internal.command;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.VolumeUse;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Commands that take the claims of allocations, record the progress of their release, override them, and remove them.
 */
public sealed interface ClaimCommand extends Command {
    /**
     * Claims all volumes that an allocation needs, or none of them. If volumes are missing whose requests have templates, the
     * command stores the intents to create them, and takes no claim; it is proposed again when they are there. The same transaction records the attachment intent
     * for each volume that the controller must publish, with the external id of the node.
     *
     * <p>The stored requests of the allocation for the same claims are fulfilled by it, and removed.
     *
     * @param requests at least one, as {@link ClaimRequest#merged} returns them; different requests for one volume are
     *     rejected
     * @param ifRequestedAt the command has an effect only while the state has the allocation's stored request with this
     *     {@link RequestedClaims#createIndex()}; with 0 it needs none
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record TakeClaims(AllocationId allocationId, List<ClaimRequest> requests, long ifRequestedAt, Instant at)
            implements ClaimCommand {
        /**
         * Creates a command that needs no stored request.
         *
         * @param requests at least one, as {@link ClaimRequest#merged} returns them
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         * @throws IllegalArgumentException if there is no request
         */
        public TakeClaims(AllocationId allocationId, List<ClaimRequest> requests, Instant at) {
            this(allocationId, requests, 0, at);
        }

        /** @throws IllegalArgumentException if there is no request, or the index is negative */
        public TakeClaims {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(at, "at");
            Indexes.check("TakeClaims", "ifRequestedAt", ifRequestedAt);
            requests = ClaimRequest.checked(allocationId, requests);
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.takeClaims(this);
        }
    }

    /**
     * Stores a request for claims, which the leader takes as soon as they can be granted. Accepted without effect if the
     * same request is stored already. Rejected if the state does not have the allocation, if it has ended, or if the
     * requests contradict each other.
     *
     * @param requests at least one, as {@link ClaimRequest#merged} returns them; different requests for one volume are
     *     rejected
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RequestClaims(AllocationId allocationId, List<ClaimRequest> requests, Instant at) implements ClaimCommand {
        /** @throws IllegalArgumentException if there is no request */
        public RequestClaims {
            Objects.requireNonNull(at, "at");
            requests = ClaimRequest.checked(allocationId, requests);
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.requestClaims(this);
        }
    }

    /**
     * Removes all stored requests of an allocation, and releases all its claims. Accepted without effect if it has
     * neither.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record WithdrawClaims(AllocationId allocationId, Instant at) implements ClaimCommand {
        public WithdrawClaims {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.withdrawClaims(this);
        }
    }

    /**
     * Removes a stored request that can never be granted. Accepted without effect if it does not exist.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RefuseClaims(RequestedClaims.Key key, Instant at) implements ClaimCommand {
        public RefuseClaims {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.refuseClaims(this);
        }
    }

    /**
     * Moves a claim to its next state. If the claim has reached or passed the given state, the command has no effect.
     *
     * @param ifTakenIndex the command applies only to the claim with this
     *     {@link io.csi4j.core.volume.Claim#takenIndex()}, because the allocation may have claimed the volume again
     *     before a delayed command arrives; with 0 it applies to any claim of the allocation
     * @param state the state that was reached
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record CheckpointClaim(VolumeKey key, AllocationId allocationId, long ifTakenIndex, ClaimState state, Instant at)
            implements ClaimCommand {
        /**
         * Creates a command for any claim of the allocation on the volume, without a check of its index.
         *
         * @param state the state that was reached
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public CheckpointClaim(VolumeKey key, AllocationId allocationId, ClaimState state, Instant at) {
            this(key, allocationId, 0, state, at);
        }

        /** @throws IllegalArgumentException if the index is negative */
        public CheckpointClaim {
            Indexes.check("CheckpointClaim", "ifTakenIndex", ifTakenIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.checkpointClaim(this);
        }
    }

    /**
     * Removes a claim that is READY_TO_FREE or was overridden by an operator. Accepted without effect if the claim does
     * not exist.
     *
     * @param ifCreateIndex the command applies only to the claim that was taken at this index; with 0 it applies to any
     *     claim of the allocation
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record FreeClaim(VolumeKey key, AllocationId allocationId, long ifCreateIndex, Instant at) implements ClaimCommand {
        /**
         * Creates a command for any claim of the allocation on the volume, without a check of its index.
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
     * Records the statement of an operator that the node does not use the volume any more. The claim is then released
     * without a confirmation of the node. Rejected if no claim index is given and the allocation has no claim.
     *
     * @param ifCreateIndex the override applies only to the claim that was taken at this index; with 0 it applies to
     *     any claim of the allocation
     * @param operator the operator, not empty
     * @param reason the reason, not empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record OverrideClaim(
            VolumeKey key, AllocationId allocationId, long ifCreateIndex, String operator, String reason, Instant at)
            implements ClaimCommand {
        /**
         * Creates an override of any claim of the allocation on the volume, without a check of its index.
         *
         * @param operator the operator, not empty
         * @param reason the reason, not empty
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         * @throws IllegalArgumentException if {@code operator} or {@code reason} is empty
         */
        public OverrideClaim(VolumeKey key, AllocationId allocationId, String operator, String reason, Instant at) {
            this(key, allocationId, 0, operator, reason, at);
        }

        /** @throws IllegalArgumentException if {@code operator} or {@code reason} is empty, or the index is negative */
        public OverrideClaim {
            Indexes.check("OverrideClaim", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
            Text.checked("OverrideClaim: who", operator);
            Text.checked("OverrideClaim: why", reason);
            Objects.requireNonNull(at, "at");
            if (operator.isEmpty() || reason.isEmpty()) {
                throw new IllegalArgumentException("OverrideClaim: give the operator (who) and the reason (why)");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.overrideClaim(this);
        }
    }

    /**
     * Records that a node uses a volume for allocations without a claim, which the state must have lost. Each use
     * becomes a claim of its allocation, even if the access mode does not permit it beside the other claims: what is
     * mounted counts. An allocation that is not known counts as running.
     *
     * @param nodeId the node that reported the uses
     * @param uses uses of the volume; those of another volume are ignored
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record AdoptUses(VolumeKey key, NodeId nodeId, List<VolumeUse> uses, Instant at) implements ClaimCommand {
        /** Copies the list. */
        public AdoptUses {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
            uses = List.copyOf(uses);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.adoptUses(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R takeClaims(TakeClaims command);

        R requestClaims(RequestClaims command);

        R withdrawClaims(WithdrawClaims command);

        R refuseClaims(RefuseClaims command);

        R checkpointClaim(CheckpointClaim command);

        R freeClaim(FreeClaim command);

        R overrideClaim(OverrideClaim command);

        R adoptUses(AdoptUses command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
