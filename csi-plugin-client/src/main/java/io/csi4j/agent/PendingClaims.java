package io.csi4j.agent;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.spi.Cancellable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Claims that agents have asked for and wait for. One keeps its place in the queue while its agent asks again, over any
 * number of connections; if nobody asks any more, it is taken back. No grant is kept: who missed the answer asks the
 * engine anew, which gives what holds then.
 */
final class PendingClaims {
    /** How long an agent may be silent. */
    static final Duration LEASE = Duration.ofSeconds(60);

    private final VolumeLifecycle lifecycle;
    private final WireCommons wire;
    private final Map<AllocationId, Pending> pending = new ConcurrentHashMap<>();
    /** What was granted to an agent that may not know it yet, without what the grant holds. */
    private final Map<AllocationId, Granted> granted = new ConcurrentHashMap<>();

    /** Attempts that were taken back lately: a question that is slower than that must not begin one again. */
    private final Map<AllocationId, String> takenBack = new ConcurrentHashMap<>();

    PendingClaims(VolumeLifecycle lifecycle, WireCommons wire) {
        this.lifecycle = lifecycle;
        this.wire = wire;
    }

    /** One claim that was asked for. */
    private static final class Pending {
        private final String attempt;
        private final List<ClaimRequest> requests;
        private final CompletableFuture<ClaimGrant> claim;
        /** Who waits for an answer now; over the hours that a claim may wait, they are many. */
        private final Map<Object, CompletableFuture<Optional<ClaimGrant>>> asking = new ConcurrentHashMap<>();

        private final AtomicBoolean watched = new AtomicBoolean();
        private volatile Cancellable lease = () -> {};

        Pending(String attempt, List<ClaimRequest> requests, CompletableFuture<ClaimGrant> claim) {
            this.attempt = attempt;
            this.requests = requests;
            this.claim = claim;
        }

        /** Takes back what is not granted yet. */
        void end() {
            lease.cancel();
            claim.cancel(false);
        }
    }

    /** Not a record: of two grants that are equal, each is forgotten in its own time. */
    private static final class Granted {
        private final String attempt;
        private final List<VolumeKey> volumes;

        Granted(String attempt, List<VolumeKey> volumes) {
            this.attempt = attempt;
            this.volumes = volumes;
        }
    }

    /**
     * The grant, or nothing if it is still waited for after a while. Cancelling the future does not take the claim
     * back: the connection may have broken, and the agent asks again.
     */
    CompletableFuture<Optional<ClaimGrant>> ask(
            AllocationId allocation, String attempt, List<ClaimRequest> requests, Duration wait) {
        if (attempt.equals(takenBack.get(allocation))) {
            return CompletableFuture.failedFuture(takenBack());
        }
        Pending asked = place(allocation, attempt, requests, wait.plus(LEASE));
        if (attempt.equals(takenBack.get(allocation))) {
            // Whoever took it back while it was being placed did not find it.
            return cancel(allocation, attempt).thenCompose(done -> CompletableFuture.failedFuture(takenBack()));
        }
        CompletableFuture<Optional<ClaimGrant>> answer = new CompletableFuture<>();
        Cancellable patience =
                wire.timer().schedule(wait, () -> wire.executor().execute(() -> answer.complete(Optional.empty())));
        Object asker = new Object();
        asked.asking.put(asker, answer);
        var unusedAnswer = answer.whenComplete((grant, failure) -> {
            patience.cancel();
            asked.asking.remove(asker);
        });
        if (asked.watched.compareAndSet(false, true)) {
            var unused = asked.claim.whenComplete((grant, failure) -> ended(allocation, asked, grant, failure));
        } else if (asked.claim.isDone()) {
            var unused = asked.claim.whenComplete((grant, failure) -> tell(answer, grant, failure));
        }
        return answer;
    }

    private static CancellationException takenBack() {
        return new CancellationException("the agent has taken this claim back");
    }

    private static void tell(
            CompletableFuture<Optional<ClaimGrant>> answer, @Nullable ClaimGrant grant, @Nullable Throwable failure) {
        if (failure == null) {
            answer.complete(Optional.ofNullable(grant));
        } else {
            answer.completeExceptionally(failure);
        }
    }

    private Pending place(AllocationId allocation, String attempt, List<ClaimRequest> requests, Duration lease) {
        Pending asked;
        do {
            Pending other = pending.get(allocation);
            // Not within the update below: what a claim's end does to the map would be lost.
            if (other != null && !other.requests.equals(requests)) {
                expired(allocation, other);
            }
            asked = pending.compute(allocation, (id, found) -> {
                if (found != null && !found.requests.equals(requests)) {
                    return found;
                }
                Pending now = joined(id, attempt, requests, found);
                // In one go with the end of the last: of two that ask at once, neither leaves a lease that ends the
                // other.
                now.lease = wire.timer().schedule(lease, () -> wire.executor().execute(() -> expired(allocation, now)));
                return now;
            });
        } while (!asked.requests.equals(requests));
        return asked;
    }

    private Pending joined(
            AllocationId allocation, String attempt, List<ClaimRequest> requests, @Nullable Pending found) {
        if (found == null) {
            return new Pending(attempt, requests, lifecycle.claim(allocation, requests));
        }
        found.lease.cancel();
        if (found.claim.isDone()) {
            return new Pending(attempt, requests, lifecycle.claim(allocation, requests));
        }
        return found.attempt.equals(attempt) ? found : new Pending(attempt, requests, found.claim);
    }

    private void ended(
            AllocationId allocation, Pending asked, @Nullable ClaimGrant grant, @Nullable Throwable failure) {
        if (pending.remove(allocation, asked)) {
            asked.lease.cancel();
            if (failure == null) {
                Granted kept = new Granted(asked.attempt, volumes(asked.requests));
                granted.put(allocation, kept);
                var unused = wire.timer().schedule(LEASE, () -> granted.remove(allocation, kept));
            }
        }
        asked.asking.values().forEach(answer -> tell(answer, grant, failure));
    }

    private void expired(AllocationId allocation, Pending asked) {
        if (pending.remove(allocation, asked)) {
            asked.end();
        }
    }

    /** Takes a claim back that its agent does not want any more, also one that was granted without it knowing. */
    CompletableFuture<?> cancel(AllocationId allocation, String attempt) {
        takenBack.put(allocation, attempt);
        var unused = wire.timer().schedule(LEASE, () -> takenBack.remove(allocation, attempt));
        Pending asked = pending.get(allocation);
        if (asked != null && asked.attempt.equals(attempt) && pending.remove(allocation, asked)) {
            asked.lease.cancel();
            // It may have been granted just before.
            return asked.claim.cancel(false)
                    ? CompletableFuture.completedFuture(null)
                    : asked.claim
                            .handle((grant, failure) -> failure == null)
                            .thenCompose(taken -> taken
                                    ? released(allocation, volumes(asked.requests))
                                    : CompletableFuture.completedFuture(null));
        }
        Granted known = granted.get(allocation);
        return known != null && known.attempt.equals(attempt) && granted.remove(allocation, known)
                ? released(allocation, known.volumes)
                : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Void> released(AllocationId allocation, List<VolumeKey> volumes) {
        return CompletableFuture.allOf(volumes.stream()
                .map(volume -> lifecycle.release(volume, allocation))
                .toArray(CompletableFuture<?>[]::new));
    }

    private static List<VolumeKey> volumes(List<ClaimRequest> requests) {
        return requests.stream().map(ClaimRequest::volume).toList();
    }

    /** Takes back all that wait: their agents ask another server, or this one after a restart. */
    void close() {
        pending.forEach(this::expired);
        granted.clear();
    }

    /** What an allocation waits for, for an operator; empty: nothing that can be told. */
    CompletableFuture<String> reason(AllocationId allocation, List<ClaimRequest> requests) {
        CompletableFuture<String> none = CompletableFuture.completedFuture("");
        if (requests.isEmpty()) {
            return none;
        }
        return lifecycle
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
