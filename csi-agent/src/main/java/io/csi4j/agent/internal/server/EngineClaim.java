package io.csi4j.agent.internal.server;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.spi.Cancellable;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One claim at the engine, with the requests of the agent that wait for it. Compared by identity. Thread-safe. */
final class EngineClaim {
    private final List<ClaimRequest> requests;
    private final boolean renewal;
    private final CompletableFuture<@Nullable Void> withdrawn = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> released = new CompletableFuture<>();
    /** A set, so that removing an ended request is fast even if many requests wait. */
    private final Set<Waiter> waiters = new HashSet<>();

    private Cancellable lease = () -> {};

    /**
     * Creates a claim that has not started.
     *
     * @param renewal whether the agent has all these claims already; the engine then answers at once
     */
    EngineClaim(List<ClaimRequest> requests, boolean renewal) {
        this.requests = List.copyOf(requests);
        this.renewal = renewal;
    }

    /** A request of the agent that waits for its answer. */
    record Waiter(String attempt, CompletableFuture<Optional<ClaimGrant>> answer) {}

    List<ClaimRequest> requests() {
        return requests;
    }

    /** Adds a request. It is removed when its answer is complete. */
    synchronized Waiter await(String attempt) {
        Waiter waiter = new Waiter(attempt, new CompletableFuture<>());
        waiters.add(waiter);
        var unused = waiter.answer().whenComplete((grant, failure) -> remove(waiter));
        return waiter;
    }

    private synchronized void remove(Waiter waiter) {
        waiters.remove(waiter);
    }

    /** Returns the requests that wait for an answer now. */
    synchronized List<Waiter> waiters() {
        return List.copyOf(waiters);
    }

    /** Calls the engine. A withdrawal before, during or after the call cancels the returned future. */
    CompletableFuture<ClaimGrant> start(Supplier<CompletableFuture<ClaimGrant>> call) {
        CompletableFuture<ClaimGrant> claim = Futures.start(call);
        var unused = withdrawn.thenRun(() -> claim.cancel(false));
        return claim;
    }

    /** Cancels the claim in the engine. */
    void withdraw() {
        withdrawn.complete(null);
    }

    /**
     * Cancels the claim in the engine unless it is a renewal. The engine answers a renewal at once, and the answer has the index with which
     * the claims are released.
     */
    void withdrawIfNew() {
        if (!renewal) {
            withdraw();
        }
    }

    /** Replaces the timer that withdraws the claim if the agent does not repeat its request. */
    synchronized void lease(Cancellable next) {
        lease.cancel();
        lease = next;
    }

    /** Answers all waiting requests. */
    void answer(@Nullable ClaimGrant grant, @Nullable Throwable failure) {
        waiters().forEach(waiter -> Futures.complete(waiter.answer(), Optional.ofNullable(grant), failure));
    }

    /** Completes {@link #released()}. */
    void completeRelease(@Nullable Throwable failure) {
        Futures.complete(released, null, failure);
    }

    /** Returns a future that completes when the engine has ended the claim and has released what it granted in vain. */
    CompletableFuture<@Nullable Void> released() {
        return released;
    }
}
