package io.csi4j.testkit.conformance.internal;

import com.google.protobuf.Message;
import io.csi4j.testkit.conformance.Exchange;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.MethodDescriptor;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Makes the calls of a check for which a plain stub is not enough: calls that the check cancels, repeats while the
 * plugin answers ABORTED, or makes at the same time.
 */
public final class RawCalls {
    private final ConformanceSettings settings;
    private final TimeSource time;
    private final EndpointConnections connections;
    private final Channel node;
    private final Channel controller;
    private final Consumer<Exchange> listener;
    private final List<Exchange> exchanges = new ArrayList<>();
    private String lastMessage = "";
    private String lost = "";
    private boolean restarted;

    RawCalls(
            ConformanceSettings settings,
            TimeSource time,
            EndpointConnections connections,
            Consumer<Exchange> listener) {
        this.settings = settings;
        this.time = time;
        this.connections = connections;
        this.listener = listener;
        CheckRecorder recorder =
                new CheckRecorder(time, new MessageText(settings.secrets().values()), this::record, this::lost);
        this.node = ClientInterceptors.intercept(connections.node(), recorder);
        this.controller = connections.split() ? ClientInterceptors.intercept(connections.controller(), recorder) : node;
    }

    void record(Exchange exchange) {
        record(exchange, "");
    }

    private void record(Exchange exchange, String message) {
        synchronized (exchanges) {
            lastMessage = message;
            exchanges.add(exchange);
            listener.accept(exchange);
        }
    }

    private void lost(String rpc) {
        synchronized (exchanges) {
            lost = lost.isEmpty() ? rpc : lost;
        }
    }

    /** Returns the first RPC whose call lost its connection, unless the kit itself had restarted the plugin; empty if there is none. */
    String lostRpc() {
        synchronized (exchanges) {
            return restarted ? "" : lost;
        }
    }

    /** Says that the kit restarts the plugin in this check, so that connections break. */
    public void restarted() {
        synchronized (exchanges) {
            restarted = true;
        }
    }

    /** Returns the plugin's own text with its last answer, if this is an error; otherwise an empty text. */
    String lastMessage() {
        synchronized (exchanges) {
            return lastMessage;
        }
    }

    List<Exchange> exchanges() {
        synchronized (exchanges) {
            return List.copyOf(exchanges);
        }
    }

    /** Returns the name of the RPC that was answered last. */
    public String lastRpc() {
        synchronized (exchanges) {
            return exchanges.isEmpty()
                    ? "the call"
                    : exchanges.get(exchanges.size() - 1).step();
        }
    }

    Channel node() {
        return node;
    }

    Channel controller() {
        return controller;
    }

    boolean split() {
        return connections.split();
    }

    private Channel channel(MethodDescriptor<?, ?> method) {
        return "csi.v1.Node".equals(method.getServiceName()) ? node : controller;
    }

    private CallOptions options() {
        return CallOptions.DEFAULT.withDeadlineAfter(settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Makes a call and waits for its answer. */
    public <Q extends Message, S extends Message> S call(MethodDescriptor<Q, S> method, Q request) {
        return ClientCalls.blockingUnaryCall(channel(method), method, options(), request);
    }

    /** Starts a call. */
    public <Q extends Message, S extends Message> CompletableFuture<S> start(MethodDescriptor<Q, S> method, Q request) {
        CompletableFuture<S> answer = new CompletableFuture<>();
        ClientCalls.asyncUnaryCall(channel(method).newCall(method, options()), request, completing(answer));
        return answer;
    }

    /** Sends a call, cancels it so that its answer is lost, and waits until the cancel is complete. */
    public <Q extends Message, S extends Message> void loseAnswer(
            MethodDescriptor<Q, S> method, Q request, int millis) {
        CompletableFuture<S> answer = new CompletableFuture<>();
        ClientCall<Q, S> call = channel(method).newCall(method, options());
        ClientCalls.asyncUnaryCall(call, request, completing(answer));
        if (millis > 0) {
            waitMillis(millis);
        }
        call.cancel("csi4j loses this answer on purpose", null);
        answer.handle((message, failure) -> true).join();
    }

    private static <S> StreamObserver<S> completing(CompletableFuture<S> answer) {
        return new StreamObserver<>() {
            @Override
            public void onNext(S message) {
                answer.complete(message);
            }

            @Override
            public void onError(Throwable failure) {
                answer.completeExceptionally(failure);
            }

            @Override
            public void onCompleted() {
                answer.completeExceptionally(new IllegalStateException("the call ended without an answer"));
            }
        };
    }

    /** Makes calls at the same time; returns the answer or the failure of each. */
    public <Q extends Message, S extends Message> List<Answer<S>> together(MethodDescriptor<Q, S> method, List<Q> all) {
        List<CompletableFuture<S>> started =
                all.stream().map(request -> start(method, request)).toList();
        return started.stream().map(RawCalls::answer).toList();
    }

    private static <S> Answer<S> answer(CompletableFuture<S> future) {
        try {
            return new Answer<>(Code.OK, List.of(future.join()));
        } catch (CompletionException e) {
            if (e.getCause() instanceof StatusRuntimeException status) {
                return new Answer<>(status.getStatus().getCode(), List.of());
            }
            throw e;
        }
    }

    /**
     * The result of one of several concurrent calls.
     *
     * @param code the code
     * @param message the answer if the code is OK
     */
    public record Answer<S>(Code code, List<S> message) {
        public boolean ok() {
            return code == Code.OK;
        }
    }

    /**
     * Makes a call. Repeats it while the plugin cannot be reached, or answers that an earlier call for the object is
     * pending.
     */
    public <T> T eventually(Supplier<T> call) {
        long deadline = time.nanos() + settings.timeout().toNanos();
        int wait = 5;
        while (true) {
            try {
                return call.get();
            } catch (StatusRuntimeException e) {
                boolean pending = NoAnswer.is(e)
                        || Run.pendingCodes().contains(e.getStatus().getCode());
                if (!pending
                        || time.nanos() >= deadline
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
            }
            reconnect();
            waitMillis(wait);
            wait = Math.min(500, wait * 2);
        }
    }

    /** Connects at once to a plugin that was restarted, and does not wait for the back-off. */
    void reconnect() {
        connections.reconnect();
    }

    void waitMillis(int millis) {
        long end = time.nanos() + TimeUnit.MILLISECONDS.toNanos(millis);
        long left = end - time.nanos();
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
            left = end - time.nanos();
        }
    }
}
