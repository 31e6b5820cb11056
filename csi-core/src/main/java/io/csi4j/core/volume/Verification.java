package io.csi4j.core.volume;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * The answers of the storage provider about a volume since the state was restored from a backup. If a volume has no
 * verification, or that of an earlier restore, the provider was not asked about it since the last restore.
 *
 * @param restoredIndex the {@link io.csi4j.core.cluster.StateRestore#index()} of the restore
 * @param stage what is known
 * @param notFound the number of answers that the provider does not have the volume, 0 to {@link #NOT_FOUND_ANSWERS}
 * @param retry the failed attempts to ask; {@link Retry#none()} unless the stage is ASKED
 * @param decidedAt the time when the stage became CONFIRMED or LOST, by the clock of the server that led; empty while it is
 *     ASKED
 */
public record Verification(long restoredIndex, Stage stage, int notFound, Retry retry, Optional<Instant> decidedAt) {
    /** The remedy for a lost volume, for operators. */
    private static final String REMEDY =
            "delete or forget the volume, and restore a snapshot under the same name if its"
                    + " data is needed; or repair the provider, and recheck the volume";

    /** The number of answers, apart in time, after which a volume that the provider does not have is lost. */
    public static final int NOT_FOUND_ANSWERS = 2;

    /** The knowledge about the volume since the restore. */
    public enum Stage {
        /** A claim needs the volume, and the provider has to be asked. */
        ASKED,
        /**
         * The provider has the volume, or its plugin cannot tell; or the creation of the volume was requested again since
         * the restore.
         */
        CONFIRMED,
        /** The provider does not have the volume. No claim gets it, and an operator removes its row. */
        LOST
    }

    /** @throws IllegalArgumentException if {@code notFound} is out of range, or does not fit the stage */
    public Verification {
        Objects.requireNonNull(stage, "stage");
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(decidedAt, "decidedAt");
        boolean lost = notFound == NOT_FOUND_ANSWERS;
        if (notFound < 0 || notFound > NOT_FOUND_ANSWERS || lost != (stage == Stage.LOST)) {
            throw new IllegalArgumentException("Verification: notFound is " + notFound + " with stage " + stage
                    + "; use " + NOT_FOUND_ANSWERS + " with LOST, and less otherwise");
        }
    }

    /** Returns the intent to ask the provider about a volume. */
    public static Verification asked(long restoredIndex) {
        return new Verification(restoredIndex, Stage.ASKED, 0, Retry.none(), Optional.empty());
    }

    /** Returns the verification of a volume that can be used. */
    public static Verification confirmed(long restoredIndex, Instant at) {
        return new Verification(restoredIndex, Stage.CONFIRMED, 0, Retry.none(), Optional.of(at));
    }

    /** Returns what an operator can do; empty unless the volume is lost. */
    public Optional<String> remedy() {
        return stage == Stage.LOST ? Optional.of(REMEDY) : Optional.empty();
    }

    /** Returns this verification after an attempt that has said nothing about the volume. */
    public Verification failed(Attempt attempt) {
        return new Verification(restoredIndex, stage, notFound, retry.plus(attempt), decidedAt);
    }

    /**
     * Returns this verification after an answer that the provider does not have the volume.
     *
     * @param number the number of such answers with this one. An answer that is recorded already changes nothing
     * @param attempt the attempt, with the time of the next one
     * @param at the time of the command
     */
    public Verification notFound(int number, Attempt attempt, Instant at) {
        if (stage != Stage.ASKED || number != notFound + 1) {
            return this;
        }
        return number < NOT_FOUND_ANSWERS
                ? new Verification(restoredIndex, Stage.ASKED, number, retry.plus(attempt), decidedAt)
                : new Verification(restoredIndex, Stage.LOST, number, Retry.none(), Optional.of(at));
    }
}
