package io.csi4j.examples.own;

import io.csi4j.client.registry.FingerprintSink;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.node.MountClaims;
import io.csi4j.node.NodeMount;
import io.csi4j.node.transport.TransportCodec;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** The requests of a node to the server: claims and reports of plugins. */
final class ServerCalls implements MountClaims, FingerprintSink {
    private static final Duration REPORT = Duration.ofSeconds(10);

    private final HttpRpc rpc = new HttpRpc();
    private final URI server;

    ServerCalls(URI server) {
        this.server = server;
    }

    // DOC
    @Override
    public CompletableFuture<?> send(NodeFingerprint fingerprint) {
        return rpc.call(server.resolve("/fingerprint"), TransportCodec.FINGERPRINT.encode(fingerprint), REPORT);
    }

    @Override
    public CompletableFuture<List<NodeMount>> claim(AllocationId allocationId, List<ClaimRequest> requests) {
        URI claim = server.resolve("/claim?allocation=" + allocationId);
        CompletableFuture<List<NodeMount>> granted = new CompletableFuture<>();
        ask(claim, TransportCodec.CLAIMS.encode(requests), granted);
        return granted;
    }

    /** Asks until the claim is granted or refused, or the caller has cancelled the future. */
    private void ask(URI claim, byte[] request, CompletableFuture<List<NodeMount>> granted) {
        CompletableFuture<byte[]> answer = rpc.call(claim, request, ClaimHandler.WAIT.multipliedBy(2));
        var unused = answer.thenApply(TransportCodec.MOUNTS::decode).whenComplete((mounts, failure) -> {
            if (failure == null) {
                granted.complete(mounts);
            } else if (!mayAskAgain(failure)) {
                granted.completeExceptionally(failure);
            } else if (!granted.isDone()) {
                later(() -> ask(claim, request, granted));
            }
        });
        // A cancelled request is not sent again; the server withdraws the claim when its time is up.
        var unusedEnd = granted.whenComplete((mounts, failure) -> answer.cancel(true));
    }
    // DOC

    private static boolean mayAskAgain(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof CsiCallException call
                ? call.code() == StatusCode.UNAVAILABLE
                : !(cause instanceof CsiException known) || known.getClass() == CsiException.class || known.retryable();
    }

    private static void later(Runnable task) {
        Executor inASecond = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);
        inASecond.execute(task);
    }
}
