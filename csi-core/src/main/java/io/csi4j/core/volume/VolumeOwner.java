package io.csi4j.core.volume;

import io.csi4j.core.id.AllocationId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/** The allocation or workload to which a volume belongs, and with whose end the volume ends or is retained. */
public sealed interface VolumeOwner {
    /**
     * An allocation. The volume is deleted when the allocation has ended and its claim is freed.
     *
     * @param allocationId the only allocation that can claim the volume
     */
    record OfAllocation(AllocationId allocationId) implements VolumeOwner {
        public OfAllocation {
            Objects.requireNonNull(allocationId, "allocationId");
        }

        @Override
        public String toString() {
            return "allocation " + allocationId;
        }
    }

    /**
     * A workload. When it has ended and no claim is left, the volume is deleted or retained, as its reclaim policy says.
     *
     * @param workload the workload, in the namespace of the volume
     * @param endedAt the time when the host said that the workload has ended, by the clock of the server that proposed it;
     *     empty while it may run
     */
    record OfWorkload(WorkloadOwner workload, Optional<Instant> endedAt) implements VolumeOwner {
        public OfWorkload {
            Objects.requireNonNull(workload, "workload");
            Objects.requireNonNull(endedAt, "endedAt");
        }

        @Override
        public String toString() {
            return "workload " + workload
                    + endedAt.map(at -> ", ended at " + at).orElse("");
        }
    }

    /** Returns the allocation; empty if the volume belongs to a workload. */
    default Optional<AllocationId> ofAllocation() {
        return this instanceof OfAllocation owner ? Optional.of(owner.allocationId()) : Optional.empty();
    }

    /** Returns the workload; empty if the volume belongs to an allocation. */
    default Optional<OfWorkload> ofWorkload() {
        return this instanceof OfWorkload owner ? Optional.of(owner) : Optional.empty();
    }
}
