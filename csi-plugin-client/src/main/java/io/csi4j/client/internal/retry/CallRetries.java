package io.csi4j.client.internal.retry;

import io.csi4j.client.retry.OutstandingCall;
import io.csi4j.client.retry.RetryOptions;
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
 * Makes calls in order and repeats them: at most one at a time on a volume (R26), the same fields again after a
 * failure that may be repeated (R29), nothing else on a volume whose state is in doubt (R30). Safe for use by many
 * threads. For users there is {@code CsiClient}.
 */
public final class CallRetries {
    private final CallRules rules;
    private final RetryOptions retries;
    private final RetryEnvironment surroundings;
    private final VolumeOrder order;
    private final VolumeOrdering lanes;
    private final FailsafeRetries repeats;
    private final RandomGenerator random;
    private final Backoff backoff;

    /**
     * A discipline with no call yet.
     *
     * @param rules what is repeated
     * @param order what waits for what
     * @param surroundings time, and whether anything may be sent
     * @param random the length of pauses, unless the options of retries have one of their own
     */
    public CallRetries(CallRules rules, VolumeOrder order, RetryEnvironment surroundings, RandomGenerator random) {
        this.rules = Objects.requireNonNull(rules, "rules");
        this.order = Objects.requireNonNull(order, "order");
        this.surroundings = Objects.requireNonNull(surroundings, "surroundings");
        this.random = Objects.requireNonNull(random, "random");
        this.retries = RetryOptions.ofDefaults();
        this.backoff = backoff(retries, random);
        this.lanes = new VolumeOrdering(surroundings, order.hold());
        this.repeats = new FailsafeRetries(surroundings.timer());
    }

    private CallRetries(CallRetries origin, RetryOptions retries) {
        this.rules = origin.rules;
        this.order = origin.order;
        this.surroundings = origin.surroundings;
        this.random = origin.random;
        this.retries = retries;
        this.backoff = backoff(retries, retries.random().orElse(random));
        this.lanes = origin.lanes;
        this.repeats = origin.repeats;
    }

    private static Backoff backoff(RetryOptions retries, RandomGenerator random) {
        return new Backoff(retries.initialBackoff(), retries.maxBackoff(), random);
    }

    /**
     * The same order, with other retries.
     *
     * @param others how often and how fast
     * @return a view: calls of both wait for each other
     */
    public CallRetries with(RetryOptions others) {
        return new CallRetries(this, Objects.requireNonNull(others, "retries"));
    }

    /**
     * A call with many answers, which is one try, from its beginning to the end of its stream: nothing of it is
     * repeated or waits for its turn, and the observer of tries is told of it.
     *
     * @param target what the call is about
     * @param plugin the plugin, as messages call it
     * @param subscriber who gets the answers
     * @param <R> an answer
     * @return what to hand the answers to
     */
    public <R> Flow.Subscriber<? super R> observed(
            CallTarget target, String plugin, Flow.Subscriber<? super R> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        AttemptReports reports = AttemptReports.of(surroundings, target, plugin);
        return reports == null ? subscriber : new ObservedStream<R>(subscriber, reports, surroundings.nanoTime());
    }

    /** How often and how fast calls are repeated. */
    public RetryOptions retries() {
        return retries;
    }

    /**
     * What is repeated.
     *
     * @return the table
     */
    public CallRules rules() {
        return rules;
    }

    /**
     * Begins a call.
     *
     * @param target what it is
     * @param plugin the plugin, for messages
     * @param deadline how long all of it may take, waiting and pauses included
     * @param transmission sends it
     * @return the answer; whoever completes or cancels it himself cancels the call, also one that waits or pauses
     * @param <R> the answer
     */
    public <R> CompletableFuture<R> begin(
            CallTarget target, String plugin, Duration deadline, Transmission<R> transmission) {
        long now = surroundings.nanoTime().getAsLong();
        AttemptPlan plan = new AttemptPlan(retries, rules, backoff, target, now, deadline.toNanos());
        QueueKey lane = order.ordered() ? QueueKey.of(target) : null;
        RetriedCall<R> call = new RetriedCall<>(this, target, plugin, plan, transmission, lane);
        return call.begin();
    }

    /**
     * The changes whose outcome is unknown and which hold their volumes.
     *
     * @return a list of this moment, in no particular order
     */
    public List<OutstandingCall> outstanding() {
        return lanes.outstanding();
    }

    /**
     * Lets all calls about a volume, snapshot or group in again.
     *
     * @param subject its id
     */
    public void forget(String subject) {
        lanes.forget(Objects.requireNonNull(subject, "subject"));
    }

    public VolumeOrdering lanes() {
        return lanes;
    }

    public FailsafeRetries repeats() {
        return repeats;
    }

    public RetryEnvironment surroundings() {
        return surroundings;
    }
}
