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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request to a peer, and its response. If there is no response, the call fails with a {@link WireException}, which says whether the
 * request may have been sent.
 */
public final class WireCall<Q, A> extends ClientCall.Listener<A> {
    private static final int TRIES = 2;

    private final ManagedChannel channel;
    private final MethodDescriptor<Q, A> method;
    private final Q request;
    private final Duration deadline;
    /** The deadline of the call; it includes all attempts to send the request. */
    private final Deadline end;
    /** Completes the future of the response, whose callbacks may block and so must not run on a network thread. */
    private final Executor executor;

    private final CompletableFuture<A> answer = new CompletableFuture<>();
    private volatile @Nullable ClientCall<Q, A> current;
    private volatile Sent sent = new Sent();
    private int tries;
    private @Nullable A message;

    private WireCall(
            ManagedChannel channel, Executor executor, MethodDescriptor<Q, A> method, Q request, Duration deadline) {
        this.executor = executor;
        this.channel = channel;
        this.method = method;
        this.request = request;
        this.deadline = deadline;
        this.end = Deadline.after(deadline.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Sends a request; cancelling the returned future cancels the call. */
    public static <Q, A> CompletableFuture<A> send(
            ManagedChannel channel, Executor executor, MethodDescriptor<Q, A> method, Q request, Duration deadline) {
        WireCall<Q, A> call = new WireCall<>(channel, executor, method, request, deadline);
        call.begin();
        var unused = call.answer.whenComplete((value, failure) -> {
            ClientCall<Q, A> under = call.current;
            if (failure != null && under != null) {
                under.cancel("the caller no longer waits", null);
            }
        });
        return call.answer;
    }

    private void begin() {
        // Connects at once after a failed connect; otherwise the channel would refuse calls until the end of its
        // backoff, which may take two minutes.
        if (failing()) {
            channel.enterIdle();
        }
        tries++;
        Sent trace = new Sent();
        sent = trace;
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
                            .withStreamTracerFactory(trace)
                            .withExecutor(Runnable::run));
            current = call;
            call.start(this, new Metadata());
            call.request(2);
            call.sendMessage(request);
            call.halfClose();
        } catch (IllegalStateException ended) {
            // gRPC throws this exception if the call has already ended or was cancelled. If the end of the call has
            // completed the future already, the following statement has no effect.
            answer.completeExceptionally(WireException.of(Status.CANCELLED, trace.left, false, deadline));
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
        } else if (mayBeginAgain(status)) {
            begin();
        } else {
            WireException failure = WireException.of(status, sent.left, sent.reported, deadline);
            executor.execute(() -> answer.completeExceptionally(failure));
        }
    }

    /**
     * Returns whether another attempt may begin: true if the connection was closed before the message was written, because the peer has
     * then not received it.
     */
    private boolean mayBeginAgain(Status status) {
        return status.getCode() == Status.Code.UNAVAILABLE
                && !sent.left
                && tries < TRIES
                && !failing()
                && !channel.isShutdown()
                && !answer.isDone();
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
