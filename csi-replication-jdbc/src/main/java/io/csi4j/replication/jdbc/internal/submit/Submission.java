package io.csi4j.replication.jdbc.internal.submit;

import io.csi4j.core.command.Outcome;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A command of this server that waits for its outcome. */
public final class Submission {
    private final long number;
    private final long term;
    private final byte[] content;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private volatile boolean attempted;
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

    /** Returns whether a transaction with the command has begun, so that the database may have it. */
    public boolean attempted() {
        return attempted;
    }

    /** Notes that a transaction with the command begins. */
    public void attempt() {
        attempted = true;
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
