package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.VolumeQuota;
import java.time.Instant;
import java.util.Objects;

/** Commands about quotas ({@link VolumeQuota}). No volume changes with its quota. */
public sealed interface QuotaCommand extends Command {
    QuotaKey key();

    /**
     * Adds a quota, or replaces all limits of the quota that has its key. Has no effect if the state has the same quota.
     *
     * @param quota the quota; its indexes are ignored
     * @param ifModifyIndex the command is rejected unless the quota was last changed at this index; 0 for no such check
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record PutQuota(VolumeQuota quota, long ifModifyIndex, Instant at) implements QuotaCommand {
        /** @throws IllegalArgumentException if {@code ifModifyIndex} is negative */
        public PutQuota {
            Indexes.check("PutQuota", "ifModifyIndex", ifModifyIndex);
            quota = quota.stored(0, 0);
            Objects.requireNonNull(at, "at");
        }

        @Override
        public QuotaKey key() {
            return quota.key();
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.putQuota(this);
        }
    }

    /**
     * Removes a quota, so that its volumes have no limit. Has no effect if the state does not have it.
     *
     * @param ifCreateIndex the command applies only to the quota that was added at this index, so that a delayed command
     *     does not remove a newer quota with the same key; with 0 it applies to any quota with the key
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RemoveQuota(QuotaKey key, long ifCreateIndex, Instant at) implements QuotaCommand {
        /** @throws IllegalArgumentException if {@code ifCreateIndex} is negative */
        public RemoveQuota {
            Indexes.check("RemoveQuota", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.removeQuota(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R putQuota(PutQuota command);

        R removeQuota(RemoveQuota command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
