package io.csi4j.core.internal.command;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.VolumePhase;
import java.util.Objects;

/**
 * The part of a volume's row that a planned call is for. A command for a target has no effect if the row does not have
 * this part any more.
 */
public sealed interface CallTarget {
    /**
     * The volume itself, which is created or deleted.
     *
     * @param createIndex the create index of the volume; a newer volume with the same key is another target
     * @param phase CREATING for CreateVolume, DELETING for DeleteVolume
     */
    record OfVolume(long createIndex, VolumePhase phase) implements CallTarget {
        public OfVolume {
            Objects.requireNonNull(phase, "phase");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.ofVolume(this);
        }
    }

    /**
     * The controller's part of an expansion (R82).
     *
     * @param range the requested capacity
     */
    record OfExpansion(CapacityRange range) implements CallTarget {
        public OfExpansion {
            Objects.requireNonNull(range, "range");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.ofExpansion(this);
        }
    }

    /**
     * The part of an expansion on the node of a claim (R94).
     *
     * @param claimIndex the index at which the claim was taken
     * @param range the requested capacity
     */
    record OfNodeExpansion(AllocationId allocationId, long claimIndex, CapacityRange range) implements CallTarget {
        public OfNodeExpansion {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(range, "range");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.ofNodeExpansion(this);
        }
    }

    /**
     * A change of mutable parameters (R74).
     *
     * @param requestIndex the index of the request
     */
    record OfModification(long requestIndex) implements CallTarget {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.ofModification(this);
        }
    }

    /**
     * The verification of the volume after a restore of the state.
     *
     * @param createIndex the create index of the volume; a newer volume with the same key is another target
     * @param restoredIndex the {@link io.csi4j.core.cluster.StateRestore#index()}
     * @param notFound the number of answers that the storage provider does not have the volume, with the present one, so that
     *     no answer counts twice; 0 if the failure does not say this
     */
    record OfVerification(long createIndex, long restoredIndex, int notFound) implements CallTarget {
        /** @throws IllegalArgumentException if a number is negative */
        public OfVerification {
            Indexes.check("CallTarget.OfVerification", "createIndex", createIndex);
            Indexes.check("CallTarget.OfVerification", "restoredIndex", restoredIndex);
            Indexes.check("CallTarget.OfVerification", "notFound", notFound);
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.ofVerification(this);
        }
    }

    /**
     * The attachment of the volume to a node (R61, R66).
     *
     * @param createIndex the index at which the attachment was added to the state; with 0 it is any attachment of the
     *     volume on the node
     */
    record OfAttachment(NodeId nodeId, long createIndex) implements CallTarget {
        /** @throws IllegalArgumentException if the index is negative */
        public OfAttachment {
            Objects.requireNonNull(nodeId, "nodeId");
            Indexes.check("CallTarget.OfAttachment", "createIndex", createIndex);
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.ofAttachment(this);
        }
    }

    /**
     * A claim that is released, whose node unmounts the volume (R47).
     *
     * @param takenIndex the {@link io.csi4j.core.volume.Claim#takenIndex()} of the claim, because the allocation may have
     *     claimed the volume again; with 0 it is any claim of the allocation
     */
    record OfClaim(AllocationId allocationId, long takenIndex) implements CallTarget {
        /** @throws IllegalArgumentException if the index is negative */
        public OfClaim {
            Objects.requireNonNull(allocationId, "allocationId");
            Indexes.check("CallTarget.OfClaim", "takenIndex", takenIndex);
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.ofClaim(this);
        }
    }

    /**
     * Has one method for each kind of target, so that the compiler rejects code that omits a kind.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R ofVolume(OfVolume target);

        R ofExpansion(OfExpansion target);

        R ofNodeExpansion(OfNodeExpansion target);

        R ofModification(OfModification target);

        R ofVerification(OfVerification target);

        R ofAttachment(OfAttachment target);

        R ofClaim(OfClaim target);
    }

    /**
     * Calls the method of {@code cases} for the kind of this target.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
