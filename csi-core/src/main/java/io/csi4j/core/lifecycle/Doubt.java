package io.csi4j.core.lifecycle;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Whether an earlier attempt at an operation may have had its effect, so that the refusal of a later one says nothing.
 * Only where this engine leads, and has led since before the intent was written, are its own attempts all there were.
 */
final class Doubt {
    static final long NOT_KNOWN = -1;

    private final Optional<Object> leadership;
    /** Done when the operation is, however it ended. */
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    /** Only ever set; in the volume's turn, or before the first. */
    private volatile boolean arose;

    private volatile long intent = NOT_KNOWN;

    /**
     * A doubt about one operation.
     *
     * @param leadership stands for the time this engine led when the intent was written; empty: it did not lead, or the
     *     intent was there before
     */
    Doubt(Optional<Object> leadership) {
        this.leadership = leadership;
        this.arose = leadership.isEmpty();
    }

    /** An attempt may have had its effect. */
    void arise() {
        arose = true;
    }

    /** The volume's modify index with the intent. */
    void intended(long index) {
        intent = index;
    }

    /** As it was told; {@link #NOT_KNOWN} until then. */
    long intent() {
        return intent;
    }

    /** Whether a refusal may be believed: every attempt there was had a clear answer. */
    boolean isRuledOut(Optional<Object> now) {
        return !arose && leadership.equals(now);
    }

    void end() {
        over.complete(null);
    }

    CompletableFuture<Void> over() {
        return over;
    }
}
