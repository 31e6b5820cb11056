package io.csi4j.agent.internal.server;

import io.csi4j.agent.internal.server.EngineClaim.Waiter;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.check.InputLimit;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.volume.Claim;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The claims that agents have asked for. An allocation has one entry at most: its claim waits, or was granted a short time ago. Decides what
 * a request, a cancellation and an answer of the engine mean; it calls neither the engine nor a timer. Thread-safe.
 */
final class AgentClaims {
    private final Map<AllocationId, AgentClaim> claims = new HashMap<>();
    /** Claims whose last attempt was cancelled before the engine has answered. */
    private final Map<EngineClaim, AgentClaim> cancelledClaims = new HashMap<>();
    /** Attempts that were cancelled a short time ago; a delayed request of such an attempt must not claim again. */
    private final Set<Attempt> cancelledAttempts = new HashSet<>();

    /** The volumes in the claims of each node. */
    private final NodeShares<AllocationId> held =
            new NodeShares<>("volumes in claims", InputLimit.NODE_CLAIMS, InputLimit.ALL_CLAIMS);

    private final NodeShares<Attempt> heldCancelled =
            new NodeShares<>("cancelled claims", InputLimit.NODE_CANCELLED, InputLimit.ALL_CANCELLED);

    private boolean closed;

    /** One attempt of an agent to claim the volumes of an allocation. The agent chooses the name. */
    record Attempt(AllocationId allocation, String name) {
        /** Agents send 16 characters at most. Names are remembered, so a peer must not choose their size. */
        static final int LONGEST_NAME = InputLimit.ATTEMPT.max();

        Attempt {
            if (name.length() > LONGEST_NAME) {
                throw new IllegalArgumentException(
                        "attempt: has " + name.length() + " characters; use at most " + LONGEST_NAME);
            }
        }
    }

    /**
     * A request that waits for a claim.
     *
     * @param isNew whether the caller has to start the claim at the engine
     * @param replaced the claim that the request replaces, because it names other volumes; the caller withdraws it
     */
    record Joined(EngineClaim engine, Waiter waiter, boolean isNew, Optional<EngineClaim> replaced) {}

    /**
     * The effect of an answer of the engine.
     *
     * @param remembered whether the grant is remembered, and has to be forgotten later
     * @param unwanted claims that have to be released, because all their attempts were cancelled
     */
    record Answered(boolean remembered, Map<VolumeKey, Claim> unwanted) {}

    /**
     * The effect of a cancellation.
     *
     * @param waiters the requests of the attempt, which have to be answered
     * @param withdrawn the waiting claim that has lost its last attempt
     * @param unwanted granted claims that have to be released
     */
    record Cancelled(List<Waiter> waiters, Optional<EngineClaim> withdrawn, Map<VolumeKey, Claim> unwanted) {}

    static CancellationException cancelled() {
        return new CancellationException("the agent has taken this claim back");
    }

    /**
     * Adds a request.
     *
     * @return empty after close
     * @throws CancellationException if the attempt was cancelled
     * @throws io.csi4j.agent.internal.wire.PeerLimitException if too many claims of the node are remembered
     */
    synchronized Optional<Joined> join(NodeId node, Attempt attempt, List<ClaimRequest> requests) {
        if (closed) {
            return Optional.empty();
        }
        if (cancelledAttempts.contains(attempt)) {
            throw cancelled();
        }
        AgentClaim known = claims.get(attempt.allocation());
        if (known != null && known.serves(requests)) {
            claims.put(attempt.allocation(), known.with(attempt.name()));
            return Optional.of(
                    new Joined(known.engine(), known.engine().await(attempt.name()), false, Optional.empty()));
        }
        held.put(attempt.allocation(), node, 1 + requests.size());
        EngineClaim engine = begin(attempt, requests, known);
        Optional<EngineClaim> replaced =
                Optional.ofNullable(known).filter(AgentClaim::waiting).map(AgentClaim::engine);
        return Optional.of(new Joined(engine, engine.await(attempt.name()), true, replaced));
    }

    private EngineClaim begin(Attempt attempt, List<ClaimRequest> requests, @Nullable AgentClaim earlier) {
        AgentClaim waiting = AgentClaim.waiting(requests, attempt.name(), earlier);
        claims.put(attempt.allocation(), waiting);
        return waiting.engine();
    }

    /**
     * Records the end of a claim at the engine.
     *
     * @param grant null if the claim has failed
     */
    synchronized Answered answered(AllocationId allocation, EngineClaim engine, @Nullable ClaimGrant grant) {
        AgentClaim withdrawn = cancelledClaims.remove(engine);
        AgentClaim known = claims.get(allocation);
        if (isWaiting(known, engine)) {
            return new Answered(settle(allocation, known, grant), Map.of());
        }
        // Without a newer entry, no attempt wants the claims of the withdrawn one.
        return new Answered(false, withdrawn == null || known != null ? Map.of() : withdrawn.ownedAfter(grant));
    }

    /**
     * Removes a claim whose lease has ended.
     *
     * @return whether an earlier grant is remembered again, and has to be forgotten later
     */
    synchronized boolean expire(AllocationId allocation, EngineClaim engine) {
        AgentClaim known = claims.get(allocation);
        return isWaiting(known, engine) && settle(allocation, known, null);
    }

    private static boolean isWaiting(@Nullable AgentClaim known, EngineClaim engine) {
        return known != null && known.waiting() && known.engine() == engine;
    }

    private boolean settle(AllocationId allocation, @Nullable AgentClaim waiting, @Nullable ClaimGrant grant) {
        Optional<AgentClaim> remembered = Optional.ofNullable(waiting).flatMap(claim -> claim.answered(grant));
        remembered.ifPresentOrElse(granted -> claims.put(allocation, granted), () -> remove(allocation));
        return remembered.isPresent();
    }

    /**
     * Records that an agent has cancelled an attempt.
     *
     * @throws io.csi4j.agent.internal.wire.PeerLimitException if too many cancelled attempts of the node are remembered
     */
    synchronized Cancelled cancel(NodeId node, Attempt attempt) {
        if (!closed) {
            heldCancelled.put(attempt, node, 1);
            cancelledAttempts.add(attempt);
        }
        AgentClaim known = claims.get(attempt.allocation());
        if (known == null) {
            return new Cancelled(List.of(), Optional.empty(), Map.of());
        }
        List<Waiter> waiters = known.engine().waiters().stream()
                .filter(waiter -> waiter.attempt().equals(attempt.name()))
                .toList();
        AgentClaim rest = known.without(attempt.name());
        if (!rest.attempts().isEmpty()) {
            claims.put(attempt.allocation(), rest);
            return new Cancelled(waiters, Optional.empty(), Map.of());
        }
        remove(attempt.allocation());
        if (!known.waiting()) {
            return new Cancelled(waiters, Optional.empty(), known.owned());
        }
        cancelledClaims.put(known.engine(), rest);
        return new Cancelled(waiters, Optional.of(known.engine()), Map.of());
    }

    /** Forgets a grant; its claims then end with their allocation. No effect if the agent has asked again. */
    synchronized void forget(AllocationId allocation, EngineClaim engine) {
        AgentClaim known = claims.get(allocation);
        if (known != null && known.engine() == engine) {
            remove(allocation);
        }
    }

    /** Forgets a cancelled attempt. */
    synchronized void forget(Attempt attempt) {
        cancelledAttempts.remove(attempt);
        heldCancelled.remove(attempt);
    }

    private void remove(AllocationId allocation) {
        claims.remove(allocation);
        held.remove(allocation);
    }

    /** Forgets everything, and refuses later requests. Returns the waiting claims. */
    synchronized List<EngineClaim> close() {
        closed = true;
        List<EngineClaim> waiting = claims.values().stream()
                .filter(AgentClaim::waiting)
                .map(AgentClaim::engine)
                .toList();
        claims.clear();
        held.clear();
        cancelledAttempts.clear();
        heldCancelled.clear();
        return waiting;
    }
}
