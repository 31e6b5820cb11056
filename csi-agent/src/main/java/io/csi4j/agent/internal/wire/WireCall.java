package io.csi4j.agent.internal.wire;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.ConnectivityState;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to send a request to a peer, and its response. If there is no response, the call fails with a {@link WireException}, which says whether the
 * request may have been sent.
 */
final class WireCall<Q, A> extends ClientCall.Listener<A> {
    private final ManagedChannel channel;
    private final Duration deadline;
    private final CompletableFuture<A> answer = new CompletableFuture<>();
    /** Completes the future of the response, whose callbacks may block and so must not run on a network thread. */
    private final Executor executor;

    private final Sent sent = new Sent();
    private @Nullable A message;

    private WireCall(ManagedChannel channel, Executor executor, Duration deadline) {
        this.channel = channel;
        this.executor = executor;
        this.deadline = deadline;
    }

    /**
     * Sends a request once; cancelling the returned future cancels the call.
     *
     * @param deadline the time limit of the request, with all attempts to send it, for messages
     * @param end the end of this time
     */
    static <Q, A> CompletableFuture<A> send(
            ManagedChannel channel,
            Executor executor,
            MethodDescriptor<Q, A> method,
            Q request,
            Duration deadline,
            Deadline end) {
        WireCall<Q, A> call = new WireCall<>(channel, executor, deadline);
        call.begin(method, request, end);
        return call.answer;
    }

    private void begin(MethodDescriptor<Q, A> method, Q request, Deadline end) {
        // Connects at once after a failed connect; otherwise the channel would refuse calls until the end of its
        // backoff, which may take two minutes.
        if (failing()) {
            channel.enterIdle();
        }
        // Detaches the call from the caller's gRPC context: the caller may be serving a gRPC call itself, and the end
        // of that call must not cancel this one.
        Context callers = Context.ROOT.attach();
        try {
            ClientCall<Q, A> call = channel.newCall(
                    method,
                    // Runs the listener on the network thread, because it never blocks; only the future is completed on
                    // another thread.
                    CallOptions.DEFAULT
                            .withDeadline(end)
                            .withStreamTracerFactory(sent)
                            .withExecutor(Runnable::run));
            var unused = answer.whenComplete((value, failure) -> {
                if (failure != null) {
                    call.cancel("the caller no longer waits", null);
                }
            });
            call.start(this, new Metadata());
            call.request(2);
            call.sendMessage(request);
            call.halfClose();
        } catch (IllegalStateException ended) {
            // gRPC throws this exception if the call has already ended or was cancelled. If the end of the call has
            // completed the future already, the following statement has no effect.
            answer.completeExceptionally(WireException.of(Status.CANCELLED, sent.left, false, deadline));
        } finally {
            Context.ROOT.detach(callers);
        }
    }

    private boolean failing() {
        return channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE;
    }

    @Override
    public void onMessage(A arrived) {
        message = arrived;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        A arrived = message;
        if (status.isOk() && arrived != null) {
            executor.execute(() -> answer.complete(arrived));
        } else {
            WireException failure = notReceived(status)
                    ? WireException.notReceived(status, deadline)
                    : WireException.of(status, sent.left, sent.reported, deadline);
            executor.execute(() -> answer.completeExceptionally(failure));
        }
    }

    /**
     * Returns whether the connection was closed before the message was written. The peer has then not received it, and
     * may be reached over a new connection.
     */
    private boolean notReceived(Status status) {
        return status.getCode() == Status.Code.UNAVAILABLE && !sent.left && !failing() && !channel.isShutdown();
    }

    /** Records whether any part of the request was written, and whether the peer sent the status of the call. */
    private static final class Sent extends ClientStreamTracer.Factory {
        private volatile boolean left;
        private volatile boolean reported;

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void outboundHeaders() {
                    left = true;
                }

                @Override
                public void inboundTrailers(Metadata trailers) {
                    reported = true;
                }
            };
        }
    }
}
