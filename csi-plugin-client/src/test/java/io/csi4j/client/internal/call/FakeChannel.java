package io.csi4j.client.internal.call;

import io.csi4j.client.internal.transport.Connection;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.VirtualTime;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.ConnectivityState;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.util.concurrent.ScheduledFuture;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A channel of gRPC without a network, and the connection over it. The test decides how each call proceeds. */
final class FakeChannel extends ManagedChannel {
    /** The calls that were created, oldest first. */
    final List<Call> calls = new ArrayList<>();

    final AtomicLong connects = new AtomicLong();
    /** The tasks that wait until the channel has left its backoff. */
    final List<Runnable> waiting = new ArrayList<>();

    ConnectivityState state = ConnectivityState.READY;
    int idled;
    int released;
    private boolean shutdown;

    /** The failure of the start of the next call, or of the sending of its request; null: none. */
    @Nullable Error unstartable;

    @Nullable Error unsendable;

    private final VirtualTime time;
    final Connection connection;

    FakeChannel(VirtualTime time) {
        this.time = time;
        this.connection = new Connection(this, null, connects, ioThreads(time), Runnable::run, () -> released++);
    }

    private static EventLoopGroup ioThreads(VirtualTime time) {
        EventLoop loop = proxy(EventLoop.class, (method, arguments) -> {
            if (method.equals("schedule")) {
                Cancellable timer = time.schedule(Duration.ofNanos((Long) arguments[1]), (Runnable) arguments[0]);
                Object scheduled = proxy(ScheduledFuture.class, (called, none) -> {
                    if (called.equals("cancel")) {
                        timer.cancel();
                        return true;
                    }
                    throw new AssertionError(called);
                });
                return scheduled;
            }
            throw new AssertionError(method);
        });
        return proxy(EventLoopGroup.class, (method, arguments) -> {
            if (method.equals("next")) {
                return loop;
            }
            throw new AssertionError(method);
        });
    }

    private interface Body {
        Object call(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Body body) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> body.call(method.getName(), arguments)));
    }

    /** A call on the channel. */
    final class Call extends ClientCall<Object, Object> {
        final CallOptions options;
        final Context context = Context.current();
        private final ClientStreamTracer tracer;
        final List<Integer> requests = new ArrayList<>();
        final List<String> cancellations = new ArrayList<>();
        final List<Object> sent = new ArrayList<>();
        boolean halfClosed;
        private @Nullable Listener<Object> listener;

        Call(CallOptions options) {
            this.options = options;
            this.tracer = options.getStreamTracerFactories()
                    .get(0)
                    .newClientStreamTracer(
                            ClientStreamTracer.StreamInfo.newBuilder().build(), new Metadata());
        }

        @Override
        public void start(Listener<Object> responses, Metadata headers) {
            if (unstartable != null) {
                throw unstartable;
            }
            listener = responses;
        }

        @Override
        public void request(int messages) {
            requests.add(messages);
        }

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {
            cancellations.add(message);
        }

        @Override
        public void halfClose() {
            halfClosed = true;
        }

        @Override
        public void sendMessage(Object message) {
            if (unsendable != null) {
                throw unsendable;
            }
            sent.add(message);
        }

        private Listener<Object> listener() {
            if (listener == null) {
                throw new AssertionError("the call was not started");
            }
            return listener;
        }

        /** The request is written to the connection. */
        Call written() {
            tracer.outboundHeaders();
            return this;
        }

        Call message(Object message) {
            listener().onMessage(message);
            return this;
        }

        /** The plugin ends the call. */
        void answer(Status status) {
            written();
            tracer.inboundTrailers(new Metadata());
            close(status);
        }

        /** gRPC ends the call. */
        void close(Status status) {
            listener().onClose(status, new Metadata());
        }
    }

    Call last() {
        return calls.get(calls.size() - 1);
    }

    @Override
    @SuppressWarnings("unchecked") // the messages of the calls are objects
    public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
        Call call = new Call(options);
        calls.add(call);
        return (ClientCall<Q, A>) call;
    }

    @Override
    public String authority() {
        return "localhost";
    }

    @Override
    public ConnectivityState getState(boolean requestConnection) {
        return state;
    }

    @Override
    public void enterIdle() {
        idled++;
    }

    @Override
    public void notifyWhenStateChanged(ConnectivityState source, Runnable callback) {
        waiting.add(callback);
    }

    @Override
    public ManagedChannel shutdown() {
        shutdown = true;
        return this;
    }

    @Override
    public ManagedChannel shutdownNow() {
        return shutdown();
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return shutdown;
    }

    int timers() {
        return time.timers();
    }
}
