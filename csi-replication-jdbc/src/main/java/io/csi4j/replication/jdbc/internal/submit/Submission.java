package io.csi4j.replication.jdbc.internal.submit;

import io.csi4j.core.command.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A command of this server that waits for its outcome. */
public final class Submission {
    private final long number;
    private final long term;
    private final byte[] content;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private final AtomicReference<Progress> progress = new AtomicReference<>(Progress.WAITS);
    private volatile @Nullable Throwable lastFailure;

    /**
     * Creates a submission that was not attempted.
     *
     * @param number its number at this server
     * @param term the leadership to which it is bound; 0: none
     * @param content the encoded command
     */
    Submission(long number, long term, byte[] content) {
        this.number = number;
        this.term = term;
        this.content = content;
    }

    public long number() {
        return number;
    }

    public long term() {
        return term;
    }

    public byte[] content() {
        return content;
    }

    /** Completes with the outcome, or fails when nothing more is tried. */
    public CompletableFuture<Outcome> outcome() {
        return outcome;
    }

    private enum Progress {
        WAITS,
        ATTEMPTED,
        GIVEN_UP
    }

    /** Notes that a transaction with the command begins, and returns whether it may: the command was not given up. */
    public boolean attempt() {
        return progress.compareAndSet(Progress.WAITS, Progress.ATTEMPTED) || progress.get() == Progress.ATTEMPTED;
    }

    /** Gives the command up, and returns whether no transaction with it has begun or will ever begin. */
    boolean giveUp() {
        return progress.compareAndSet(Progress.WAITS, Progress.GIVEN_UP) || progress.get() == Progress.GIVEN_UP;
    }

    /** Returns the failure of the last attempt; null: none has failed. */
    public @Nullable Throwable lastFailure() {
        return lastFailure;
    }

    /** Notes that an attempt has failed. */
    public void failed(Throwable failure) {
        lastFailure = failure;
    }
}
