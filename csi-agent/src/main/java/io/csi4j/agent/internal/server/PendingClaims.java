package io.csi4j.agent.internal.server;

import io.csi4j.agent.internal.server.AgentClaims.Answered;
import io.csi4j.agent.internal.server.AgentClaims.Attempt;
import io.csi4j.agent.internal.server.AgentClaims.Cancelled;
import io.csi4j.agent.internal.server.AgentClaims.Joined;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.volume.Claim;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Claims volumes at the engine for agents. A claim keeps its position in the queue while its agent repeats the request, over any number of
 * connections. When the agent stops repeating the request, the claim is cancelled. A repeated request for a granted claim gets its grant
 * from the engine.
 *
 * <p>Requests and cancellations of an agent may arrive in any order. Each claim of an agent is an attempt with its own id. Attempts with
 * equal requests wait for one claim, and only the cancellation of the last attempt ends it. A cancellation releases only claims that were
 * granted to the cancelled attempts; an older claim ends with its allocation.
 */
public final class PendingClaims {
    /** The time after which a claim is withdrawn if its agent has not repeated the request. */
    public static final Duration LEASE = Duration.ofSeconds(60);

    private final Engine engine;
    private final ClaimTimers timers;
    private final AgentClaims claims = new AgentClaims();

    public PendingClaims(Engine engine, Timer timer, Executor executor) {
        this.engine = engine;
        this.timers = new ClaimTimers(timer, executor);
    }

    /** The calls to the engine. They are never made under a lock. */
    public interface Engine {
        /** Claims volumes, as {@link io.csi4j.core.lifecycle.VolumeClaims#claim}. */
        CompletableFuture<ClaimGrant> claim(AllocationId allocation, List<ClaimRequest> requests);

        /** Releases one claim, as {@link io.csi4j.core.lifecycle.VolumeClaims#release(VolumeKey, AllocationId, long)}. */
        CompletableFuture<Void> release(VolumeKey volume, AllocationId allocation, long takenIndex);

        /** Returns the calls to the given engine. */
        static Engine of(VolumeLifecycle lifecycle) {
            return new Engine() {
                @Override
                public CompletableFuture<ClaimGrant> claim(AllocationId allocation, List<ClaimRequest> requests) {
                    return lifecycle.claims().claim(allocation, requests);
                }

                @Override
                public CompletableFuture<Void> release(VolumeKey volume, AllocationId allocation, long takenIndex) {
                    return lifecycle.claims().release(volume, allocation, takenIndex);
                }
            };
        }
    }

    /**
     * Requests a claim for an agent. Returns the grant, or empty if the claim still waits when the time of the request ends, or if this
     * object is closed; the agent then repeats the request here or at another server. Cancelling the future does not withdraw the claim,
     * because the connection may have broken and the agent will repeat the request.
     *
     * @param node the node of the agent
     * @throws io.csi4j.agent.internal.wire.PeerLimitException if this server remembers too many claims of the node
     */
    public CompletableFuture<Optional<ClaimGrant>> ask(
            NodeId node, AllocationId allocation, String attempt, List<ClaimRequest> requests, Duration wait) {
        Optional<Joined> joined;
        try {
            joined = claims.join(node, new Attempt(allocation, attempt), requests);
        } catch (CancellationException cancelled) {
            return CompletableFuture.failedFuture(cancelled);
        }
        return joined.map(request -> await(allocation, request, wait))
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
    }

    private CompletableFuture<Optional<ClaimGrant>> await(AllocationId allocation, Joined request, Duration wait) {
        EngineClaim claim = request.engine();
        CompletableFuture<Optional<ClaimGrant>> answer = request.waiter().answer();
        request.replaced().ifPresent(EngineClaim::withdraw);
        claim.lease(timers.after(wait.plus(LEASE), () -> expired(allocation, claim)));
        Cancellable limit = timers.after(wait, () -> answer.complete(Optional.empty()));
        var unused = answer.whenComplete((grant, failure) -> limit.cancel());
        if (request.isNew()) {
            var unusedToo = claim.start(() -> engine.claim(allocation, claim.requests()))
                    .whenComplete((grant, failure) -> answered(allocation, claim, grant, failure));
        }
        return answer;
    }

    private void answered(
            AllocationId allocation, EngineClaim claim, @Nullable ClaimGrant grant, @Nullable Throwable failure) {
        Answered answered = claims.answered(allocation, claim, grant);
        claim.lease(() -> {});
        if (answered.remembered()) {
            forgetLater(allocation, claim);
        }
        var unused = release(allocation, answered.unwanted())
                .whenComplete((done, unreleased) -> claim.completeRelease(unreleased));
        claim.answer(grant, failure);
    }

    private void expired(AllocationId allocation, EngineClaim claim) {
        if (claims.expire(allocation, claim)) {
            forgetLater(allocation, claim);
        }
        claim.withdraw();
    }

    private void forgetLater(AllocationId allocation, EngineClaim claim) {
        timers.after(LEASE, () -> claims.forget(allocation, claim));
    }

    /**
     * Withdraws a claim that an agent has cancelled, even if it was granted and the agent did not receive the grant.
     *
     * @throws io.csi4j.agent.internal.wire.PeerLimitException if this server remembers too many cancelled claims of the
     *     node
     */
    public CompletableFuture<?> cancel(NodeId node, AllocationId allocation, String name) {
        Attempt attempt = new Attempt(allocation, name);
        Cancelled cancelled = claims.cancel(node, attempt);
        timers.after(LEASE, () -> claims.forget(attempt));
        cancelled.waiters().forEach(waiter -> waiter.answer().completeExceptionally(AgentClaims.cancelled()));
        if (cancelled.withdrawn().isEmpty()) {
            return release(allocation, cancelled.unwanted());
        }
        EngineClaim claim = cancelled.withdrawn().get();
        claim.withdrawIfNew();
        return claim.released();
    }

    /** Releases only the given claims, and no claim that the allocation has requested later. */
    private CompletableFuture<Void> release(AllocationId allocation, Map<VolumeKey, Claim> unwanted) {
        return CompletableFuture.allOf(unwanted.entrySet().stream()
                .map(each -> engine.release(
                        each.getKey(), allocation, each.getValue().takenIndex()))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Withdraws all waiting claims. Their agents repeat the requests at another server, or at this one after a restart. */
    public void close() {
        List<EngineClaim> waiting = claims.close();
        timers.close();
        waiting.forEach(EngineClaim::withdraw);
    }
}
