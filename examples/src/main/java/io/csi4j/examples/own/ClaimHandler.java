package io.csi4j.examples.own;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeClaims;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.NodeMount;
import io.csi4j.node.transport.TransportCodec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes the claims of nodes on the server. */
final class ClaimHandler {
    /** The time for which the server keeps the request of a waiting claim open. */
    static final Duration WAIT = Duration.ofSeconds(20);

    /** The time after that in which the same request finds its claim in its place of the queue. */
    static final Duration KEEP = Duration.ofSeconds(60);

    private final VolumeClaims claims;
    private final Timer timer;
    private final Map<Asked, Waiting> waiting = new ConcurrentHashMap<>();

    ClaimHandler(VolumeClaims claims, Timer timer) {
        this.claims = claims;
        this.timer = timer;
    }

    // DOC
    private record Asked(AllocationId allocation, List<ClaimRequest> requests) {}

    /** A claim of the engine that waits, for any number of requests, one after the other or together. */
    private static final class Waiting {
        private final CompletableFuture<ClaimGrant> grant = new CompletableFuture<>();
        private final AtomicInteger requests = new AtomicInteger();
    }

    /**
     * Grants a claim. A request that ends without a grant is asked again, and joins the claim in its place of the queue. A claim
     * that is not asked for again is withdrawn. A grant whose answer was lost stays with its allocation, and the same
     * request gets it again.
     */
    CompletableFuture<byte[]> claim(HttpRpc.Request request) {
        AllocationId allocation = AllocationId.of(request.value("allocation"));
        Asked asked = new Asked(allocation, TransportCodec.CLAIMS.decode(request.body()));
        Waiting claim = waiting.computeIfAbsent(asked, first -> new Waiting());
        int number = claim.requests.incrementAndGet();
        CompletableFuture<byte[]> answer = claim.grant.thenApply(ClaimHandler::encoded);
        within(WAIT, answer, () -> answer.completeExceptionally(new TimeoutException("the claim waits")));
        within(WAIT.plus(KEEP), claim.grant, () -> {
            if (claim.requests.get() == number) {
                claim.grant.cancel(false);
            }
        });
        if (number == 1) {
            begin(asked, claim);
        }
        return answer;
    }

    private void begin(Asked asked, Waiting claim) {
        CompletableFuture<ClaimGrant> engine = claims.claim(asked.allocation(), asked.requests());
        var unused = claim.grant.whenComplete((grant, failure) -> {
            waiting.remove(asked, claim);
            engine.cancel(false); // withdraws the claim, if it still waits
        });
        var unusedToo = engine.whenComplete((grant, failure) -> {
            if (failure == null) {
                claim.grant.complete(grant);
            } else {
                claim.grant.completeExceptionally(failure);
            }
        });
    }

    private void within(Duration limit, CompletableFuture<?> future, Runnable otherwise) {
        Cancellable late = timer.schedule(limit, otherwise);
        var unused = future.whenComplete((value, failure) -> late.cancel());
    }

    private static byte[] encoded(ClaimGrant grant) {
        List<NodeMount> mounts = grant.volumes().stream().map(NodeMount::of).toList();
        return TransportCodec.MOUNTS.encode(mounts);
    }
    // DOC
}
