package io.csi4j.agent.internal.node;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.node.MountClaims;
import io.csi4j.node.NodeMount;
import io.csi4j.node.internal.codec.EngineFailureCodec;
import io.csi4j.node.internal.codec.FailureCodec;
import io.csi4j.node.internal.codec.GrantCodec;
import io.csi4j.node.internal.codec.PeerText;
import io.csi4j.node.internal.codec.ProtocolVersion;
import io.csi4j.node.transport.RemoteFailureException;
import io.csi4j.proto.agent.v1.AgentProto.CancelClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.ClaimAnswer;
import io.csi4j.proto.agent.v1.AgentProto.ClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.ServersGrpc;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Claims volumes at the servers. The request is repeated, if necessary over other connections and at other servers, until the claim is
 * granted, permanently refused, or cancelled.
 */
public final class RemoteClaims implements MountClaims {
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Duration SLACK = Duration.ofSeconds(10);
    private static final int CANCEL_TRIES = 5;

    private final NodeId node;
    private final ServerLink servers;
    private final RetryTimer retries;
    private final RandomGenerator random;
    private final Consumer<String> heard;
    private final Map<AllocationId, Asking> asked = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * Creates the client for claims, without connecting.
     *
     * @param heard gets the id of the server that sent a response
     */
    public RemoteClaims(
            NodeId node, ServerLink servers, RetryTimer retries, RandomGenerator random, Consumer<String> heard) {
        this.node = node;
        this.servers = servers;
        this.retries = retries;
        this.random = random;
        this.heard = heard;
    }

    @Override
    public CompletableFuture<List<NodeMount>> claim(AllocationId allocationId, List<ClaimRequest> requests) {
        Asking asking = new Asking(allocationId, requests);
        asked.put(allocationId, asking);
        var unused = asking.answer.whenComplete((mounts, failure) -> {
            asked.remove(allocationId, asking);
            asking.cancelled();
        });
        asking.ask();
        return asking.answer;
    }

    /** Returns the wait reason that the servers reported last. */
    @Override
    public String reason(AllocationId allocation) {
        Asking asking = asked.get(allocation);
        return asking == null ? "" : asking.reason;
    }

    /** Ends all requests. The futures of waiting claims fail; the servers withdraw the claims when their leases end. */
    public void close() {
        closed = true;
        asked.values().forEach(Asking::closed);
    }

    /** One claim, from its request until it is granted, refused or cancelled. */
    private final class Asking {
        private final CompletableFuture<List<NodeMount>> answer = new CompletableFuture<>();
        private final AllocationId allocation;
        private final ClaimCall call;
        private volatile String reason = "";
        private volatile @Nullable CompletableFuture<?> inFlight;
        private volatile Cancellable retry = () -> {};
        private int failures;

        Asking(AllocationId allocation, List<ClaimRequest> requests) {
            this.allocation = allocation;
            ClaimCall.Builder claimed = ClaimCall.newBuilder()
                    .setVersion(ProtocolVersion.OURS)
                    .setNodeId(node.value())
                    .setAllocationId(allocation.value())
                    .setAttempt(Long.toHexString(random.nextLong()))
                    .setWaitMillis(WAIT.toMillis());
            requests.forEach(request -> claimed.addVolumes(GrantCodec.write(request)));
            this.call = claimed.build();
        }

        void ask() {
            if (answer.isDone()) {
                return;
            }
            if (closed) {
                closed();
                return;
            }
            CompletableFuture<ClaimAnswer> sent = servers.call(ServersGrpc.getClaimMethod(), call, WAIT.plus(SLACK));
            inFlight = sent;
            var unused = sent.whenComplete((reported, failure) -> {
                if (failure == null) {
                    answered(reported);
                } else {
                    again(FailureCodec.text(failure));
                }
            });
            if (answer.isDone()) {
                sent.cancel(false);
            }
        }

        private void answered(ClaimAnswer reported) {
            heard.accept(reported.getServer());
            switch (reported.getResultCase()) {
                case GRANT -> granted(reported);
                case WAITING -> {
                    failures = 0;
                    reason = PeerText.plain(reported.getWaiting().getReason());
                    ask();
                }
                case FAILURE -> failed(reported.getFailure());
                case RESULT_NOT_SET -> again("the server's answer is of a kind that this agent does not know");
            }
        }

        private void granted(ClaimAnswer reported) {
            List<NodeMount> mounts;
            try {
                mounts = GrantCodec.read(reported.getGrant());
            } catch (IllegalArgumentException unreadable) {
                again("the server's grant cannot be read: " + unreadable.getMessage());
                return;
            }
            // Completing the future has no effect if the caller has just cancelled it; cancelled() then withdraws the
            // granted claim.
            answer.complete(mounts);
        }

        private void failed(Failure failure) {
            String text = "the claim of allocation " + allocation + ": " + PeerText.plain(failure.getMessage());
            if (failure.getKind() == FailureKind.FAILURE_KIND_NOT_LEADING
                    || failure.getKind() == FailureKind.FAILURE_KIND_VERSION) {
                servers.moveOn();
                again(text);
            } else if (failure.getKind() == FailureKind.FAILURE_KIND_CALL) {
                // Requests the claim again, unless the failure of the call to the plugin is permanent.
                if (FailureCodec.outcome(failure).retryable() && failure.getRetryable()) {
                    again(text);
                } else {
                    refused(failure, text);
                }
            } else if (FailureCodec.mayRepeat(failure)) {
                again(text);
            } else {
                refused(failure, text);
            }
        }

        /** Fails the claim with the exception that a caller of the engine would get. */
        private void refused(Failure failure, String text) {
            answer.completeExceptionally(
                    EngineFailureCodec.read(failure).orElseGet(() -> new RemoteFailureException(text, false)));
        }

        private void again(String reason) {
            this.reason = reason;
            failures++;
            retry = retries.after(failures, this::ask);
            if (answer.isDone()) {
                retry.cancel();
            }
        }

        void closed() {
            answer.completeExceptionally(new RemoteFailureException(
                    "the agent was closed before the claim was granted; ask the agent that comes after it", false));
        }

        /** Withdraws the claim because the caller has cancelled or completed the future. */
        void cancelled() {
            CompletableFuture<?> asking = inFlight;
            retry.cancel();
            if (answer.isCancelled()) {
                if (asking != null) {
                    asking.cancel(false);
                }
                takeBack(1);
            }
        }

        /** Sends the withdrawal of the claim. If no attempt reaches a server, the servers withdraw the claim when its lease ends. */
        private void takeBack(int number) {
            CancelClaimCall cancel = CancelClaimCall.newBuilder()
                    .setVersion(ProtocolVersion.OURS)
                    .setNodeId(node.value())
                    .setAllocationId(allocation.value())
                    .setAttempt(call.getAttempt())
                    .build();
            var unused = servers.call(ServersGrpc.getCancelClaimMethod(), cancel, SLACK)
                    .whenComplete((reported, failure) -> {
                        boolean done = failure == null && !reported.hasFailure();
                        if (!done && number < CANCEL_TRIES && !closed) {
                            var unusedRetry = retries.after(number, () -> takeBack(number + 1));
                        }
                    });
        }
    }
}
