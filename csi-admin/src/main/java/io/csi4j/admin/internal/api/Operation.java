package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An action that was started at this server. It keeps neither the request nor the objects of its result, which may have
 * secrets: only the digest of the request, and the JSON that a client may read. Thread-safe.
 */
final class Operation {
    /** The states of an operation. */
    enum State {
        /** It has not ended. */
        RUNNING,
        /** It ended with its result. */
        DONE,
        /** It ended with a problem. */
        FAILED,
        /** A client cancelled it. */
        CANCELLED
    }

    /**
     * The end of an operation.
     *
     * @param result the result as JSON; empty after a failure, and if it is too large to be kept
     * @param problem the failure
     */
    record End(State state, Instant at, Optional<String> result, Optional<Failure> problem) {
        long size() {
            return result.map(String::length).orElse(0);
        }
    }

    final long number;
    final String id;
    final String command;
    final String caller;
    final String object;
    final Optional<VolumeKey> volume;
    final String continues;
    final Instant started;
    /** Whether it only shows the effect of a request. */
    final boolean dryRun;
    /** Identifies the request of an operation with a key; empty without a key. */
    final String digest;

    private final CompletableFuture<End> ended = new CompletableFuture<>();
    private @Nullable CompletableFuture<?> work;
    private boolean cancelled;

    Operation(
            long number,
            String id,
            Endpoint endpoint,
            Endpoint.Action<?> action,
            String caller,
            String object,
            Optional<VolumeKey> volume,
            boolean dryRun,
            String digest,
            Instant started) {
        this.number = number;
        this.id = id;
        this.command = endpoint.command();
        this.caller = caller;
        this.object = object;
        this.volume = volume;
        this.continues = action.continues();
        this.dryRun = dryRun;
        this.digest = digest;
        this.started = started;
    }

    /** Returns a future of the end, which callers must not complete. */
    CompletableFuture<End> ended() {
        return ended;
    }

    /** Returns the end; empty while the operation runs. */
    Optional<End> end() {
        return Optional.ofNullable(ended.getNow(null));
    }

    State state() {
        return end().map(End::state).orElse(State.RUNNING);
    }

    /** Sets the work that a cancellation cancels. */
    void works(CompletableFuture<?> running) {
        boolean late;
        synchronized (this) {
            work = running;
            late = cancelled;
        }
        if (late) {
            running.cancel(false);
        }
    }

    /** Cancels the work, unless the operation has ended. */
    void cancel() {
        CompletableFuture<?> running;
        synchronized (this) {
            cancelled = true;
            running = work;
        }
        if (running != null) {
            running.cancel(false);
        }
    }

    /** Ends the operation, and forgets the work, whose result may have secrets. */
    void end(End end) {
        synchronized (this) {
            work = null;
        }
        ended.complete(end);
    }
}
