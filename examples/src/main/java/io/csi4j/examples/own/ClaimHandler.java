package io.csi4j.examples.own;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeClaims;
import io.csi4j.node.NodeMount;
import io.csi4j.node.transport.TransportCodec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Takes the claims of nodes on the server. */
final class ClaimHandler {
    /** The time for which the server keeps the request of a waiting claim open. */
    static final Duration WAIT = Duration.ofSeconds(20);

    private final VolumeClaims claims;

    ClaimHandler(VolumeClaims claims) {
        this.claims = claims;
    }

    // DOC
    /**
     * Grants a claim, or withdraws it when its request ends without a grant: a node that still wants it asks again. A grant
     * whose answer was lost stays with its allocation, and the same request gets it again.
     */
    CompletableFuture<byte[]> claim(HttpRpc.Request request) {
        AllocationId allocation = AllocationId.of(request.value("allocation"));
        CompletableFuture<ClaimGrant> claim = claims.claim(allocation, TransportCodec.CLAIMS.decode(request.body()));
        return claim.thenApply(ClaimHandler::encoded)
                .orTimeout(WAIT.toSeconds(), TimeUnit.SECONDS)
                .whenComplete((mounts, failure) -> claim.cancel(false));
    }

    private static byte[] encoded(ClaimGrant grant) {
        List<NodeMount> mounts = grant.volumes().stream().map(NodeMount::of).toList();
        return TransportCodec.MOUNTS.encode(mounts);
    }
    // DOC
}
