package io.csi4j.replication.jdbc.internal.submit;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.internal.replication.PendingLimit;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.spi.CommandTooLargeException;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LogOverloadedException;
import io.csi4j.core.spi.NoLeaderException;
import io.csi4j.core.spi.UnansweredCommandException;
import io.csi4j.replication.jdbc.JdbcLogOptions;
import io.csi4j.state.CommandCodec;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Takes the commands of this server, and limits how many wait and for how long. Thread-safe. */
public final class Submitter {
    /** The greatest length of an encoded command in bytes. */
    static final int LONGEST_COMMAND = 4 << 20;

    private final CommandCodec codec;
    private final Consumer<Submission> queue;
    private final LongSupplier term;
    private final JdbcLogOptions options;
    private final Timeouts timeouts;
    private final PendingLimit limit;
    private final AtomicLong numbers = new AtomicLong();
    private final Set<Submission> pending = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Ending ended;

    private record Ending(RuntimeException forPending, RuntimeException forLater) {}

    /**
     * Creates a submitter.
     *
     * @param codec encodes the commands
     * @param queue takes the submissions in their order
     * @param term returns the leadership to which a command of now is bound; 0: none
     * @param environment time and threads
     * @param options the limits
     */
    public Submitter(
            CommandCodec codec,
            Consumer<Submission> queue,
            LongSupplier term,
            Environment environment,
            JdbcLogOptions options) {
        this.codec = codec;
        this.queue = queue;
        this.term = term;
        this.options = options;
        this.timeouts = new Timeouts(environment.timer(), environment.executor());
        this.limit = new PendingLimit(options.pendingCommands(), options.pendingBytes());
    }

    /** Submits a command, bound to the leadership of this server if it leads now. */
    public CompletableFuture<Outcome> submit(Command command) {
        return submit(command, term.getAsLong());
    }

    /**
     * Submits a command that is bound to a leadership.
     *
     * @param bound the leadership; 0: none
     */
    public CompletableFuture<Outcome> submit(Command command, long bound) {
        return Futures.start(() -> {
            Ending before = ended;
            if (before != null) {
                throw before.forLater;
            }
            byte[] content = codec.encodeCommand(command);
            checkSize(command, content.length);
            if (!limit.tryAcquire(content.length)) {
                throw new LogOverloadedException("JdbcCommandLog: too many commands wait for the database (" + limit
                        + "); the command was not submitted. Submit it again later, or raise pendingCommands and"
                        + " pendingBytes");
            }
            return queued(new Submission(numbers.incrementAndGet(), bound, content));
        });
    }

    private CompletableFuture<Outcome> queued(Submission submission) {
        pending.add(submission);
        queue.accept(submission);
        Ending meanwhile = ended;
        if (meanwhile != null) {
            submission.outcome().completeExceptionally(meanwhile.forPending);
        }
        CompletableFuture<Outcome> limited =
                timeouts.limit(submission.outcome(), options.submitTimeout(), () -> unanswered(submission));
        // A separate future, so that the limit is free again when the caller sees the outcome.
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        var unused = limited.whenComplete((outcome, failure) -> {
            // The log thread gives up a submission whose future has ended.
            submission.outcome().cancel(false);
            pending.remove(submission);
            limit.release(submission.content().length);
            Futures.complete(answer, outcome, failure == null ? null : forCaller(submission, failure));
        });
        return answer;
    }

    /** The timer rejects the deadline if the environment is closed. */
    private Throwable forCaller(Submission submission, Throwable failure) {
        return failure instanceof RejectedExecutionException ? unanswered(submission) : failure;
    }

    private RuntimeException unanswered(Submission submission) {
        Throwable last = submission.lastFailure();
        String cause = last == null ? "" : ". The last failure was: " + last.getMessage();
        return submission.giveUp()
                ? new NoLeaderException(
                        "JdbcCommandLog: the database could not be reached for "
                                + Durations.text(options.submitTimeout())
                                + ". The command was not applied; submit it again when the database answers" + cause,
                        last)
                : new UnansweredCommandException(
                        "JdbcCommandLog: the database did not answer a command within "
                                + Durations.text(options.submitTimeout())
                                + "; it may have been applied, or may still be. Submit it again" + cause,
                        last);
    }

    /** Refuses a command that is too large for the log. */
    public static void checkSize(Command command, int size) {
        if (size > LONGEST_COMMAND) {
            throw new CommandTooLargeException("JdbcCommandLog: "
                    + command.getClass().getSimpleName() + " has " + size + " bytes, and a command may have at most "
                    + LONGEST_COMMAND + "; split it into smaller ones");
        }
    }

    /** Returns the number and the size of the commands that wait for their outcome. */
    public PendingLimit pending() {
        return limit;
    }

    /**
     * Ends all submissions.
     *
     * @param forPending the failure of the submissions in progress, which the database may have
     * @param forLater the failure of all later submissions
     */
    public void end(RuntimeException forPending, RuntimeException forLater) {
        ended = new Ending(forPending, forLater);
        pending.forEach(submission -> submission.outcome().completeExceptionally(forPending));
    }
}
