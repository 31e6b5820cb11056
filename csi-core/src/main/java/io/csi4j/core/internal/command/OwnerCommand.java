package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.WorkloadOwner;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/** Commands about the workloads to which volumes belong. */
public sealed interface OwnerCommand extends Command {
    /**
     * Ends a workload. Its volumes are deleted or retained, as their reclaim policies say; those in use are, when their last
     * claim is freed. Has no effect if the state knows that this incarnation or a later one has ended.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record EndOwner(Namespace namespace, WorkloadOwner workload, Instant at) implements OwnerCommand {
        public EndOwner {
            Objects.requireNonNull(namespace, "namespace");
            Objects.requireNonNull(workload, "workload");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.endOwner(this);
        }
    }

    /**
     * Changes the reclaim policy of a volume. Rejected if the volume is being deleted already.
     *
     * @param ifCreateIndex the {@link io.csi4j.core.volume.Volume#createIndex()} of the volume
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record SetReclaim(VolumeKey key, long ifCreateIndex, ReclaimPolicy reclaim, Instant at) implements OwnerCommand {
        public SetReclaim {
            Objects.requireNonNull(key, "key");
            Indexes.check("SetReclaim", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(reclaim, "reclaim");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.setReclaim(this);
        }
    }

    /**
     * Gives a volume of a workload to another one, or to none: then it is persistent. Rejected if the volume belongs to an
     * allocation, is being deleted, or the new workload has ended.
     *
     * @param ifCreateIndex the {@link io.csi4j.core.volume.Volume#createIndex()} of the volume
     * @param workload the new owner; empty for none
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record SetOwner(VolumeKey key, long ifCreateIndex, Optional<WorkloadOwner> workload, Instant at)
            implements OwnerCommand {
        public SetOwner {
            Objects.requireNonNull(key, "key");
            Indexes.check("SetOwner", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(workload, "workload");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.setOwner(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R endOwner(EndOwner command);

        R setReclaim(SetReclaim command);

        R setOwner(SetOwner command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
