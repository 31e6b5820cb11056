package io.csi4j.agent.internal.wire;

import com.google.protobuf.Message;
import io.csi4j.core.internal.check.InputLimit;
import io.csi4j.node.internal.codec.AgentLimits;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Serves the messages of peers within limits: each field, and the messages that are held at the same time, for one peer
 * and for all. A message is held until its call is answered. Thread-safe.
 */
public final class PeerMessages {
    private final Map<String, Held> byPeer = new HashMap<>();
    private Held all = new Held(0, 0);

    /** The messages that are held. */
    private record Held(int calls, long bytes) {
        Held plus(int more, long moreBytes) {
            return new Held(calls + more, bytes + moreBytes);
        }
    }

    /**
     * Serves a call.
     *
     * @param work starts the work for a message within the limits
     * @param failed converts a failure to an answer: of the work, an {@link IllegalArgumentException} for a field beyond
     *     its limit, or a {@link PeerLimitException}
     */
    public <A> void serve(
            WireCaller peer,
            Message request,
            StreamObserver<A> out,
            Supplier<CompletableFuture<A>> work,
            Function<? super Throwable, A> failed) {
        UnaryReply.with(
                out,
                () -> {
                    AgentLimits.check(request);
                    Runnable release = hold(peer.name(), request.getSerializedSize());
                    CompletableFuture<A> answer;
                    try {
                        answer = work.get();
                    } catch (RuntimeException | Error unstarted) {
                        release.run();
                        throw unstarted;
                    }
                    var unused = answer.whenComplete((value, failure) -> release.run());
                    return answer;
                },
                failed);
    }

    private synchronized Runnable hold(String peer, long bytes) {
        Held ofPeer = byPeer.getOrDefault(peer, new Held(0, 0)).plus(1, bytes);
        Held sum = all.plus(1, bytes);
        check("calls of " + peer, ofPeer.calls(), InputLimit.PEER_CALLS);
        check("calls of all peers", sum.calls(), InputLimit.ALL_CALLS);
        if (ofPeer.calls() > 1) {
            // A single message has the limit of its connection, which may be higher.
            check("messages of " + peer, ofPeer.bytes(), InputLimit.PEER_BYTES);
            check("messages of all peers", sum.bytes(), InputLimit.ALL_BYTES);
        }
        byPeer.put(peer, ofPeer);
        all = sum;
        AtomicBoolean held = new AtomicBoolean(true);
        return () -> {
            if (held.getAndSet(false)) {
                release(peer, bytes);
            }
        };
    }

    private static void check(String what, long size, InputLimit limit) {
        if (limit.isExceededBy(size)) {
            throw new PeerLimitException("the sum of the unanswered " + what + " " + limit.problem(size)
                    + "; the call is refused, repeat it later");
        }
    }

    private synchronized void release(String peer, long bytes) {
        all = all.plus(-1, -bytes);
        byPeer.computeIfPresent(peer, (same, held) -> held.calls() == 1 ? null : held.plus(-1, -bytes));
    }
}
