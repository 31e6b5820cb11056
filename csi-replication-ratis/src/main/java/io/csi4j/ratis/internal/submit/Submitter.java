package io.csi4j.ratis.internal.submit;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.spi.Environment;
import io.csi4j.ratis.RatisLogOptions;
import io.csi4j.ratis.internal.machine.EntryRefusedException;
import io.csi4j.ratis.internal.machine.LogEntry;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Submits entries: sends each entry to the leader, and repeats it after a failure, until the leader and this peer have
 * applied the entry. An entry that is in the log twice is applied only once, so repeating is always safe. Thread-safe.
 */
public final class Submitter {
    private static final Duration FIRST_RETRY = Duration.ofMillis(20);
    private static final Duration LAST_RETRY = Duration.ofMillis(500);

    private final Route route;
    private final Failures failures;
    private final AppliedIndex applied;
    private final Function<LogEntry, Optional<Outcome>> outcomes;
    private final Environment environment;
    private final Duration submitTimeout;
    private final Timeouts timeouts;
    private final EntryNumbers numbers;
    private final PendingLimit limit;
    private final Set<Submission> pending = ConcurrentHashMap.newKeySet();
    private volatile @Nullable RuntimeException ended;

    /** Creates the exceptions that submitters get. */
    public interface Failures {
        /** The exception for a command that is refused, because too many commands are pending. */
        RuntimeException overloaded(String pending);

        /** The exception for an entry without an answer in time; its cause is the last failure, or null. */
        RuntimeException unanswered(@Nullable Throwable lastFailure);

        /** The exception for an entry that the leader cannot read; it is not in the log. */
        RuntimeException refused(EntryRefusedException reason);
    }

    /**
     * Creates a submitter.
     *
     * @param route sends the entries to the leader
     * @param failures creates the exceptions
     * @param applied the index that this peer has applied
     * @param outcomes finds the outcome of an applied command of this process
     * @param environment time and threads
     * @param options the limits
     */
    public Submitter(
            Route route,
            Failures failures,
            AppliedIndex applied,
            Function<LogEntry, Optional<Outcome>> outcomes,
            Environment environment,
            RatisLogOptions options) {
        this.route = route;
        this.failures = failures;
        this.applied = applied;
        this.outcomes = outcomes;
        this.environment = environment;
        this.submitTimeout = options.submitTimeout();
        this.timeouts = new Timeouts(environment.timer(), environment.executor());
        this.numbers = new EntryNumbers(environment.random().nextLong());
        this.limit = new PendingLimit(options.pendingCommands(), options.pendingBytes());
    }

    /**
     * Submits an entry.
     *
     * @param kind its kind
     * @param content its content
     * @return the outcome of a command, after this peer has applied it; empty for other kinds
     */
    public CompletableFuture<Optional<Outcome>> submit(LogEntry.Kind kind, ByteString content) {
        RuntimeException endReason = ended;
        if (endReason != null) {
            return CompletableFuture.failedFuture(endReason);
        }
        if (!limit.tryAcquire(content.size())) {
            return CompletableFuture.failedFuture(failures.overloaded(limit.toString()));
        }
        Submission submission = new Submission(numbers.next(kind, content));
        pending.add(submission);
        CompletableFuture<Optional<Outcome>> result =
                timeouts.limit(submission.result, submitTimeout, () -> failures.unanswered(submission.lastFailure));
        // A separate future, so that the limit is free again when the caller sees the outcome.
        CompletableFuture<Optional<Outcome>> answer = new CompletableFuture<>();
        var unused = result.whenComplete((reply, failure) -> {
            submission.result.cancel(false);
            pending.remove(submission);
            numbers.answered(submission.entry);
            limit.release(content.size());
            Futures.complete(answer, reply, failure);
        });
        var unusedCancellation = answer.whenComplete((reply, failure) -> result.cancel(false));
        submission.attempt();
        return answer;
    }

    /**
     * Ends all submissions.
     *
     * @param forPending the failure of the submissions in progress, whose entries may be in the log
     * @param forLater the failure of all later submissions
     */
    public void end(RuntimeException forPending, RuntimeException forLater) {
        ended = forLater;
        pending.forEach(submission -> environment.executor().execute(() -> submission.fail(forPending)));
    }

    /** The submission of one entry, with all its attempts. */
    private final class Submission {
        final LogEntry entry;
        final CompletableFuture<Optional<Outcome>> result = new CompletableFuture<>();
        private final Message message;
        private Duration backoff = FIRST_RETRY;
        volatile @Nullable Throwable lastFailure;

        Submission(LogEntry entry) {
            this.entry = entry;
            this.message = Message.valueOf(entry.encode(), entry::toString);
        }

        void attempt() {
            if (result.isDone()) {
                return;
            }
            RuntimeException endReason = ended;
            if (endReason != null) {
                fail(endReason);
                return;
            }
            var unused = route.send(message).whenComplete(this::replied);
        }

        private void replied(@Nullable RaftClientReply reply, @Nullable Throwable failure) {
            if (reply != null && reply.isSuccess()) {
                // Completes the result on the executor, because callbacks of the host must not run on the thread of
                // Ratis that applies entries.
                var unused = applied.reaches(reply.getLogIndex())
                        .thenRunAsync(() -> result.complete(outcomes.apply(entry)), environment.executor());
                return;
            }
            lastFailure = failure == null ? (reply == null ? null : reply.getException()) : Futures.unwrap(failure);
            if (lastFailure instanceof StateMachineException refusal
                    && refusal.getCause() instanceof EntryRefusedException reason) {
                environment.executor().execute(() -> fail(failures.refused(reason)));
                return;
            }
            retryLater();
        }

        private void retryLater() {
            Duration delay = backoff;
            backoff = backoff.multipliedBy(2).compareTo(LAST_RETRY) < 0 ? backoff.multipliedBy(2) : LAST_RETRY;
            try {
                environment.timer().schedule(delay, () -> environment.executor().execute(this::attempt));
            } catch (RejectedExecutionException closed) {
                fail(failures.unanswered(closed));
            }
        }

        void fail(RuntimeException failure) {
            result.completeExceptionally(failure);
        }
    }
}
