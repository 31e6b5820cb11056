package io.csi4j.replication.ratis.internal.submit;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import io.csi4j.client.internal.timer.TimerScheduler;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.internal.replication.PendingLimit;
import io.csi4j.core.spi.Environment;
import io.csi4j.replication.ratis.RatisLogOptions;
import io.csi4j.replication.ratis.internal.machine.EntryRefusedException;
import io.csi4j.replication.ratis.internal.machine.LogEntry;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
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
    private final FailsafeExecutor<Optional<Outcome>> retries;
    /** The attempts of the submissions in progress. */
    private final Map<Submission, CompletableFuture<Optional<Outcome>>> pending = new ConcurrentHashMap<>();

    private volatile @Nullable Ending ended;

    /**
     * The end of this submitter.
     *
     * @param forPending the failure of submissions in progress, whose entries may be in the log
     * @param forLater the failure of later submissions
     */
    private record Ending(RuntimeException forPending, RuntimeException forLater) {}

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
        this.retries = Failsafe.with(RetryPolicy.<Optional<Outcome>>builder()
                        .handleIf(failure -> ended == null && !(failure instanceof EntryRefusedException))
                        .withMaxRetries(-1)
                        .withBackoff(FIRST_RETRY, LAST_RETRY)
                        .build())
                .with(new TimerScheduler((delay, attempt) -> environment
                        .timer()
                        .schedule(delay, () -> environment.executor().execute(attempt))));
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
        Ending before = ended;
        if (before != null) {
            return CompletableFuture.failedFuture(before.forLater);
        }
        if (!limit.tryAcquire(content.size())) {
            return CompletableFuture.failedFuture(failures.overloaded(limit.toString()));
        }
        Submission submission = new Submission(numbers.next(kind, content));
        CompletableFuture<Optional<Outcome>> attempts = retries.getStageAsync(submission::attempt);
        pending.put(submission, attempts);
        Ending meanwhile = ended;
        if (meanwhile != null) {
            attempts.completeExceptionally(meanwhile.forPending);
        }
        CompletableFuture<Optional<Outcome>> result =
                timeouts.limit(attempts, submitTimeout, () -> failures.unanswered(submission.lastFailure));
        // A separate future, so that the limit is free again when the caller sees the outcome.
        CompletableFuture<Optional<Outcome>> answer = new CompletableFuture<>();
        var unused = result.whenComplete((reply, failure) -> {
            attempts.cancel(false);
            pending.remove(submission);
            numbers.answered(submission.entry);
            limit.release(content.size());
            Futures.complete(answer, reply, failure == null ? null : forCaller(failure));
        });
        var unusedCancellation = answer.whenComplete((reply, failure) -> result.cancel(false));
        return answer;
    }

    private Throwable forCaller(Throwable failure) {
        if (failure instanceof EntryRefusedException reason) {
            return failures.refused(reason);
        }
        // The timer rejects the next attempt if the environment is closed.
        return failure instanceof RejectedExecutionException ? failures.unanswered(failure) : failure;
    }

    /** Returns the number and the size of the entries without an outcome. */
    public PendingLimit pending() {
        return limit;
    }

    /**
     * Ends all submissions.
     *
     * @param forPending the failure of the submissions in progress, whose entries may be in the log
     * @param forLater the failure of all later submissions
     */
    public void end(RuntimeException forPending, RuntimeException forLater) {
        ended = new Ending(forPending, forLater);
        pending.values()
                .forEach(attempts -> environment.executor().execute(() -> attempts.completeExceptionally(forPending)));
    }

    /** The submission of one entry, with all its attempts. */
    private final class Submission {
        final LogEntry entry;
        private final Message message;
        volatile @Nullable Throwable lastFailure;

        Submission(LogEntry entry) {
            this.entry = entry;
            this.message = Message.valueOf(entry.encode(), entry::toString);
        }

        /** Sends the entry once. The attempt fails if it is not certain that the entry is in the log. */
        CompletableFuture<Optional<Outcome>> attempt() {
            Ending end = ended;
            if (end != null) {
                return CompletableFuture.failedFuture(end.forPending);
            }
            return route.send(message)
                    .thenCompose(this::outcome)
                    // On the executor, because the last failure calls callbacks of the host, which must not run on a
                    // thread of Ratis.
                    .exceptionallyComposeAsync(this::failed, environment.executor());
        }

        private CompletableFuture<Optional<Outcome>> failed(Throwable failure) {
            Throwable reason = Futures.unwrap(failure);
            lastFailure = reason;
            return CompletableFuture.failedFuture(
                    reason instanceof StateMachineException
                                    && reason.getCause() instanceof EntryRefusedException refusal
                            ? refusal
                            : reason);
        }

        private CompletableFuture<Optional<Outcome>> outcome(RaftClientReply reply) {
            if (!reply.isSuccess()) {
                Throwable problem = reply.getException();
                return CompletableFuture.failedFuture(
                        problem == null ? new IllegalStateException("the leader refused the entry") : problem);
            }
            // Completes the result on the executor, because callbacks of the host must not run on the thread of Ratis
            // that applies entries.
            return applied.reaches(reply.getLogIndex())
                    .thenApplyAsync(reached -> outcomes.apply(entry), environment.executor());
        }
    }
}
