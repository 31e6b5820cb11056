package io.csi4j.client.internal.retry;

import dev.failsafe.FailsafeExecutor;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.client.retry.UnresolvedRequest;
import io.csi4j.client.retry.VolumeOrder;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.internal.concurrent.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.random.RandomGenerator;

/**
 * Retries calls. A retry has the same fields as the failed call (R29). With {@link VolumeOrder#oneAtATime()}, at most one call at a time is in flight for
 * a volume (R26), and a call with an unknown outcome blocks its volume for other calls until it was repeated or undone (R30), or until the block time is
 * over. Thread-safe. Applications use it through {@code CsiClient}.
 */
public final class CallRetries {
    private final CallRules rules;
    private final RetryOptions retries;
    private final RetryEnvironment environment;
    private final VolumeOrder order;
    private final VolumeOrdering queues;
    private final RandomGenerator random;
    private final Backoff backoff;
    private final FailsafeExecutor<AttemptEnd<?>> attempts;

    /**
     * Creates the retries for the calls of a new client.
     *
     * @param rules the rules for retries
     * @param order the order of calls
     * @param environment the client's clock, timer, observer and closed state
     * @param random determines the random lengths of backoffs
     */
    public CallRetries(CallRules rules, VolumeOrder order, RetryEnvironment environment, RandomGenerator random) {
        this.rules = Objects.requireNonNull(rules, "rules");
        this.order = Objects.requireNonNull(order, "order");
        this.environment = Objects.requireNonNull(environment, "environment");
        this.random = Objects.requireNonNull(random, "random");
        this.retries = RetryOptions.ofDefaults();
        this.backoff = backoff(retries, random);
        this.attempts = AttemptEnd.retries(retries, environment.timer());
        this.queues = new VolumeOrdering(environment, order.blockTime());
    }

    private CallRetries(CallRetries origin, RetryOptions retries) {
        this.rules = origin.rules;
        this.order = origin.order;
        this.environment = origin.environment;
        this.random = origin.random;
        this.retries = retries;
        this.backoff = backoff(retries, random);
        this.attempts = AttemptEnd.retries(retries, environment.timer());
        this.queues = origin.queues;
    }

    private static Backoff backoff(RetryOptions retries, RandomGenerator random) {
        return new Backoff(retries.initialBackoff(), retries.maxBackoff(), random);
    }

    /** Returns a view with other retry options. Both share the order of calls. */
    public CallRetries with(RetryOptions others) {
        return new CallRetries(this, Objects.requireNonNull(others, "retries"));
    }

    /**
     * Reports a streaming call to the observer. The call counts as one attempt, which ends with the stream; it is
     * neither retried nor queued.
     *
     * @param target the subject of the call
     * @param plugin the plugin's name for messages
     * @param subscriber the caller's subscriber
     * @param <R> the type of the messages
     * @return the subscriber for the call
     */
    public <R> Flow.Subscriber<? super R> observed(
            CallTarget target, String plugin, Flow.Subscriber<? super R> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        AttemptReports reports = AttemptReports.of(environment, target, plugin);
        return reports == null ? subscriber : new ObservedStream<R>(subscriber, reports, environment.nanoTime());
    }

    public RetryOptions retries() {
        return retries;
    }

    public CallRules rules() {
        return rules;
    }

    /**
     * Begins a call.
     *
     * @param target the subject of the call
     * @param plugin the plugin's name for messages
     * @param deadline the time limit of the whole call, including waits and backoffs
     * @param transmission sends the call
     * @return the response; completing or cancelling the future cancels the call, even while the call waits in a queue
     * @param <R> the type of the response
     */
    public <R> CompletableFuture<R> begin(
            CallTarget target, String plugin, Duration deadline, Transmission<R> transmission) {
        long now = environment.nanoTime().getAsLong();
        AttemptPlan plan = new AttemptPlan(retries, rules, backoff, target, now, deadline.toNanos());
        QueueKey queue = order.ordered() ? QueueKey.of(target) : null;
        RetriedCall<R> call = new RetriedCall<>(this, target, plugin, plan, transmission, queue);
        return call.begin();
    }

    /** Returns the calls with an unknown outcome that block their volumes, in no particular order. */
    public List<UnresolvedRequest> unresolved() {
        return queues.unresolved();
    }

    /**
     * Ends the block of a volume, snapshot or group that began with the unknown outcome of a call. All calls about it
     * are allowed again.
     */
    public void forget(String subject) {
        queues.forget(Objects.requireNonNull(subject, "subject"));
    }

    FailsafeExecutor<AttemptEnd<?>> attempts() {
        return attempts;
    }

    public VolumeOrdering queues() {
        return queues;
    }

    public RetryEnvironment environment() {
        return environment;
    }
}
