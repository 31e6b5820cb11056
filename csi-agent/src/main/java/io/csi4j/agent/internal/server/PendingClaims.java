package io.csi4j.agent.internal.server;

import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.volume.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The waiting claims of agents. A claim keeps its position in the queue while its agent repeats the request, over any
 * number of connections. When the agent stops repeating the request, the claim is cancelled. A repeated request for a
 * granted claim gets its grant from the engine.
 *
 * <p>Requests and cancellations of an agent may arrive in any order. Each claim of an agent is an attempt with its own id. Attempts with
 * equal requests wait for one claim, and only the cancellation of the last attempt ends it. A cancellation releases only claims that were
 * granted to the cancelled attempts; an older claim ends with its allocation.
 */
public final class PendingClaims {
    /** The time after which a claim is withdrawn if its agent has not repeated the request. */
    public static final Duration LEASE = Duration.ofSeconds(60);

    private final VolumeLifecycle lifecycle;
    private final WireContext wire;
    // The following fields are guarded by this object's lock. The engine is never called under the lock.
    private final Map<AllocationId, Pending> pending = new HashMap<>();
    /** Recent grants, without sensitive values. If an agent cancels its request too late, the grant is released. */
    private final Map<AllocationId, Granted> granted = new HashMap<>();
    /** Attempts that were cancelled a short time ago; a delayed request of such an attempt must not claim again. */
    private final Set<Attempt> takenBack = new HashSet<>();
    /** Timers after which a grant or a cancelled attempt is forgotten. */
    private final Set<Forgetting> forgettings = new HashSet<>();

    private boolean closed;

    public PendingClaims(VolumeLifecycle lifecycle, WireContext wire) {
        this.lifecycle = lifecycle;
        this.wire = wire;
    }

    private record Attempt(AllocationId allocation, String name) {}

    /** An agent's request that waits for its response. */
    private record Asker(String attempt, CompletableFuture<Optional<ClaimGrant>> answer) {}

    /** One waiting claim. */
    private static final class Pending {
        private final List<ClaimRequest> requests;
        /** The claims that were already granted to earlier requests of the allocation. */
        private final Map<VolumeKey, Claim> earlier;

        private final Set<String> attempts;
        /**
         * The requests that wait for this claim. They are in a set, so that removing an ended request is fast even if
         * many requests wait.
         */
        private final Set<Asker> asking = new HashSet<>();

        private final CompletableFuture<@Nullable Void> givenBack = new CompletableFuture<>();
        private @Nullable CompletableFuture<ClaimGrant> claim;
        private Cancellable lease = () -> {};
        private boolean ended;

        Pending(List<ClaimRequest> requests, @Nullable Granted earlier) {
            this.requests = requests;
            this.earlier = earlier == null ? Map.of() : earlier.claims;
            this.attempts = earlier == null ? new HashSet<>() : new HashSet<>(earlier.attempts);
        }

        /** Returns whether all requested claims are granted already; the engine then answers at once. */
        boolean renews() {
            return requests.stream().map(ClaimRequest::volume).allMatch(earlier::containsKey);
        }
    }

    /** A timer that removes one remembered grant or cancelled attempt; compared by identity in the set of timers. */
    private static final class Forgetting {
        private Cancellable timer = () -> {};
    }

    /** One grant; compared by identity, because equal grants are forgotten at different times. */
    private static final class Granted {
        private final Set<String> attempts;
        /** The claims that are released if the agent cancels all its attempts to get this grant. */
        private final Map<VolumeKey, Claim> claims;

        Granted(Set<String> attempts, Map<VolumeKey, Claim> claims) {
            this.attempts = new HashSet<>(attempts);
            this.claims = claims;
        }
    }

    /**
     * Requests a claim for an agent. Returns the grant, or empty if the claim still waits when the time of the request ends. Cancelling the
     * future does not withdraw the claim, because the connection may have broken and the agent will repeat the request.
     */
    public CompletableFuture<Optional<ClaimGrant>> ask(
            AllocationId allocation, String attempt, List<ClaimRequest> requests, Duration wait) {
        Asker asker = new Asker(attempt, new CompletableFuture<>());
        Pending replaced = null;
        Pending asked;
        boolean fresh;
        synchronized (this) {
            if (closed) {
                // Answers without a grant; the agent repeats the request at another server, or at this one after a
                // restart.
                return CompletableFuture.completedFuture(Optional.empty());
            }
            if (takenBack.contains(new Attempt(allocation, attempt))) {
                return CompletableFuture.failedFuture(cancelled());
            }
            Pending found = pending.get(allocation);
            if (found != null && !found.requests.equals(requests)) {
                replaced = found;
                found.ended = true;
                restore(allocation, found);
                found = null;
            }
            fresh = found == null;
            asked = found == null ? new Pending(requests, granted.remove(allocation)) : found;
            asked.attempts.add(attempt);
            asked.asking.add(asker);
            asked.lease.cancel();
            asked.lease = wire.timer()
                    .schedule(wait.plus(LEASE), () -> wire.executor().execute(() -> expired(allocation, asked)));
            pending.put(allocation, asked);
        }
        if (replaced != null) {
            end(replaced);
        }
        Cancellable patience = wire.timer()
                .schedule(
                        wait, () -> wire.executor().execute(() -> asker.answer().complete(Optional.empty())));
        var unused = asker.answer().whenComplete((grant, failure) -> {
            patience.cancel();
            synchronized (this) {
                asked.asking.remove(asker);
            }
        });
        if (fresh) {
            begin(allocation, asked);
        }
        return asker.answer();
    }

    private static CancellationException cancelled() {
        return new CancellationException("the agent has taken this claim back");
    }

    private void begin(AllocationId allocation, Pending asked) {
        CompletableFuture<ClaimGrant> claim =
                Futures.start(() -> lifecycle.claims().claim(allocation, asked.requests));
        boolean ended;
        synchronized (this) {
            asked.claim = claim;
            ended = asked.ended;
        }
        var unused = claim.whenComplete((grant, failure) -> ended(allocation, asked, grant, failure));
        if (ended && !asked.renews()) {
            // Ends the claim, because it was cancelled while the engine was being called.
            end(asked);
        }
    }

    private void ended(
            AllocationId allocation, Pending asked, @Nullable ClaimGrant grant, @Nullable Throwable failure) {
        Map<VolumeKey, Claim> unwanted = Map.of();
        List<Asker> reported;
        synchronized (this) {
            asked.lease.cancel();
            Map<VolumeKey, Claim> claims = grant == null ? asked.earlier : own(grant, asked.earlier);
            if (pending.remove(allocation, asked)) {
                remember(allocation, new Granted(asked.attempts, claims));
            } else if (asked.attempts.isEmpty()
                    && !pending.containsKey(allocation)
                    && !granted.containsKey(allocation)) {
                unwanted = claims;
            }
            reported = List.copyOf(asked.asking);
        }
        var unused = released(allocation, unwanted).whenComplete((done, unreleased) -> {
            Futures.complete(asked.givenBack, null, unreleased);
        });
        reported.forEach(asker -> {
            if (failure == null) {
                asker.answer().complete(Optional.ofNullable(grant));
            } else {
                asker.answer().completeExceptionally(failure);
            }
        });
    }

    /**
     * Returns the claims that were created for the requests of the waiting agent. Claims that existed before these
     * requests are left out, so that a cancellation of the requests does not release them.
     */
    private static Map<VolumeKey, Claim> own(ClaimGrant grant, Map<VolumeKey, Claim> earlier) {
        Map<VolumeKey, Claim> own = new LinkedHashMap<>(earlier);
        for (VolumeGrant volume : grant.volumes()) {
            Claim claim = volume.claim();
            VolumeKey key = volume.view().volume().key();
            Claim before = earlier.get(key);
            boolean ours = claim.takenIndex() == claim.createIndex()
                    || (before != null && before.createIndex() == claim.createIndex());
            if (ours) {
                own.put(key, claim);
            } else {
                own.remove(key);
            }
        }
        return own;
    }

    /** Remembers a grant for a limited time. Called under the lock. */
    private void remember(AllocationId allocation, Granted kept) {
        if (kept.claims.isEmpty() || kept.attempts.isEmpty()) {
            return;
        }
        granted.put(allocation, kept);
        forgetLater(() -> granted.remove(allocation, kept));
    }

    /** Schedules a task that forgets an entry. Called under the lock; has no effect after close. */
    private void forgetLater(Runnable forget) {
        if (closed) {
            forget.run();
            return;
        }
        Forgetting forgetting = new Forgetting();
        forgettings.add(forgetting);
        forgetting.timer = wire.timer()
                .schedule(
                        LEASE,
                        () -> wire.executor().execute(() -> {
                            synchronized (this) {
                                forgettings.remove(forgetting);
                                forget.run();
                            }
                        }));
    }

    /**
     * Remembers the earlier grant of an allocation again, after a later request has ended without a new grant. Called
     * under the lock.
     */
    private void restore(AllocationId allocation, Pending given) {
        remember(allocation, new Granted(given.attempts, given.earlier));
    }

    private void expired(AllocationId allocation, Pending asked) {
        synchronized (this) {
            asked.ended = true;
            if (pending.remove(allocation, asked)) {
                restore(allocation, asked);
            }
        }
        end(asked);
    }

    /** Cancels the waiting claim in the engine. */
    private void end(Pending asked) {
        CompletableFuture<ClaimGrant> claim;
        synchronized (this) {
            claim = asked.claim;
        }
        if (claim != null) {
            claim.cancel(false);
        }
    }

    /** Withdraws a claim that an agent has cancelled, even if it was granted and the agent did not receive the grant. */
    public CompletableFuture<?> cancel(AllocationId allocation, String attempt) {
        Attempt cancelled = new Attempt(allocation, attempt);
        List<Asker> reported = new ArrayList<>();
        Map<VolumeKey, Claim> unwanted = Map.of();
        Pending asked;
        boolean last;
        boolean placed;
        synchronized (this) {
            takenBack.add(cancelled);
            forgetLater(() -> takenBack.remove(cancelled));
            asked = pending.get(allocation);
            last = asked != null && asked.attempts.remove(attempt) && asked.attempts.isEmpty();
            if (asked != null) {
                asked.asking.stream()
                        .filter(asker -> asker.attempt().equals(attempt))
                        .forEach(reported::add);
            }
            placed = asked != null && asked.claim != null;
            if (asked != null && last) {
                pending.remove(allocation);
                asked.ended = true;
            }
            Granted known = granted.get(allocation);
            if (known != null && known.attempts.remove(attempt) && known.attempts.isEmpty()) {
                granted.remove(allocation);
                unwanted = known.claims;
            }
        }
        reported.forEach(asker -> asker.answer().completeExceptionally(cancelled()));
        if (asked == null || !last) {
            return released(allocation, unwanted);
        }
        if (!asked.renews()) {
            end(asked);
        }
        if (!placed) {
            // Another thread is calling the engine for this claim; that thread ends the claim when the call returns.
            return CompletableFuture.completedFuture(null);
        }
        // The future completes when the engine has ended the cancelled claim, and when the volumes that the engine
        // granted before the cancellation are released.
        return asked.givenBack;
    }

    /** Releases only the given claims, and no claim that the allocation has requested later. */
    private CompletableFuture<Void> released(AllocationId allocation, Map<VolumeKey, Claim> claims) {
        return CompletableFuture.allOf(claims.entrySet().stream()
                .map(each -> lifecycle
                        .claims()
                        .release(each.getKey(), allocation, each.getValue().takenIndex()))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Withdraws all waiting claims. Their agents repeat the requests at another server, or at this one after a restart. */
    public void close() {
        Map<AllocationId, Pending> all;
        synchronized (this) {
            closed = true;
            all = Map.copyOf(pending);
            all.values().forEach(asked -> asked.lease.cancel());
        }
        all.forEach(this::expired);
        synchronized (this) {
            granted.clear();
            forgettings.forEach(forgetting -> forgetting.timer.cancel());
            forgettings.clear();
        }
    }

    /** Returns the reason why the claims of an allocation wait, for operators; empty if it is not known. */
    public CompletableFuture<String> reason(AllocationId allocation, List<ClaimRequest> requests) {
        CompletableFuture<String> none = CompletableFuture.completedFuture("");
        if (requests.isEmpty()) {
            return none;
        }
        return lifecycle
                .claims()
                .status(requests.get(0).volume())
                .thenApply(status -> status.stream()
                        .flatMap(known -> known.waiting().stream())
                        .filter(waiting -> waiting.allocationId().equals(allocation))
                        .findFirst()
                        .map(WaitingClaim::text)
                        .orElse(""))
                .exceptionally(unknown -> "");
    }
}
