package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.internal.call.CoalescingTask;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Adds the stored requests for claims to the queue of the leader, in the order in which they were stored, and removes the
 * refused ones from the state. Thread-safe.
 */
final class StoredRequests {
    private static final System.Logger LOG = System.getLogger(StoredRequests.class.getName());

    private final Operations operations;
    private final Term term;
    private final ClaimQueue queue;
    private final CoalescingTask reading;
    private final Subscription changes;
    private final Map<RequestedClaims.Key, PendingClaim> queued = new ConcurrentHashMap<>();

    /** Adds the requests that the state has, and from now on those that are stored later. */
    StoredRequests(Operations operations, Term term, ClaimQueue queue) {
        this.operations = operations;
        this.term = term;
        this.queue = queue;
        this.reading = new CoalescingTask(operations.ports(), term, this::read);
        StateReader state = operations.state();
        this.changes = operations
                .ports()
                .log()
                .state()
                .subscribe(StateScope.of(StateScope.Table.REQUESTED_CLAIMS), state.index(), index -> reading.request());
        reading.request();
    }

    void close() {
        changes.close();
    }

    /** Adds new requests to the queue; the queue decides removed ones again. */
    private long read() {
        Set<RequestedClaims.Key> stored = new HashSet<>();
        List<RequestedClaims> added = new ArrayList<>();
        for (RequestedClaims row : operations.state().requestedClaims()) {
            stored.add(row.key());
            if (!queued.containsKey(row.key())) {
                added.add(row);
            }
        }
        queued.forEach((key, claim) -> {
            if (!stored.contains(key)) {
                queue.retry(claim);
            }
        });
        added.sort(Comparator.comparingLong(RequestedClaims::createIndex));
        added.forEach(this::add);
        return stored.size();
    }

    private void add(RequestedClaims row) {
        PendingClaim claim = PendingClaim.stored(row, operations.ports().moment(row.requestedAt()));
        queued.put(row.key(), claim);
        var unused = claim.result.whenComplete((grant, failure) -> {
            if (failure == null || term.ended()) {
                queued.remove(row.key());
            } else {
                failed(row, claim, Futures.unwrap(failure));
            }
        });
        queue.add(claim);
    }

    private void failed(RequestedClaims row, PendingClaim claim, Throwable cause) {
        if (claim.taken.isEmpty() && isRefusal(cause)) {
            LOG.log(
                    Level.WARNING,
                    () -> "The stored request of allocation " + row.allocationId() + " for " + volumes(row)
                            + " is refused and removed: " + Failures.text(cause)
                            + "; remove the cause and request the claims again, or end the allocation");
            refuse(row);
            return;
        }
        queued.remove(row.key());
        if (cause instanceof CancellationException || cause instanceof NotLeadingException) {
            return;
        }
        if (!claim.taken.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    () -> "The stored request of allocation " + row.allocationId() + " for " + volumes(row)
                            + " failed after its claims had been taken: " + Failures.text(cause)
                            + "; request the claims again, or end the allocation");
        } else {
            readLater();
        }
    }

    private static boolean isRefusal(Throwable cause) {
        return RetryLoop.isPermanent(cause) && !(cause instanceof NotLeadingException);
    }

    private static String volumes(RequestedClaims row) {
        return row.requests().stream()
                .map(ClaimRequest::volume)
                .map(VolumeKey::toString)
                .collect(Collectors.joining(", "));
    }

    /** Removes a request from the state. Until that is done, it stays known here, so that it is not decided again. */
    private void refuse(RequestedClaims row) {
        var unused = Futures.start(() ->
                        operations.ports().log().submit(new ClaimCommand.RefuseClaims(row.key(), operations.now())))
                .whenComplete((outcome, failure) -> {
                    queued.remove(row.key());
                    if (failure != null) {
                        readLater();
                    }
                });
    }

    /** Reads the requests again after a failure of the log. */
    private void readLater() {
        var unused =
                operations.ports().timer().schedule(operations.ports().options().slowRetryBase(), reading::request);
    }
}
