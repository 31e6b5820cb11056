package io.csi4j.testkit.conformance.internal;

import com.google.protobuf.Message;
import io.csi4j.testkit.conformance.Exchange;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientStreamTracer;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Records each call of a check with its answer. */
final class CheckRecorder implements ClientInterceptor {
    /** The codes with which the caller itself ends a call. */
    private static final Set<Status.Code> BY_CALLER = Set.of(Status.Code.CANCELLED, Status.Code.DEADLINE_EXCEEDED);

    private final TimeSource time;
    private final MessageText text;
    private final BiConsumer<Exchange, String> exchanges;
    private final Consumer<String> lost;

    /**
     * Creates a recorder.
     *
     * @param exchanges receives each call, with the plugin's error message or an empty text
     * @param lost receives the RPC of each call whose connection broke
     */
    CheckRecorder(TimeSource time, MessageText text, BiConsumer<Exchange, String> exchanges, Consumer<String> lost) {
        this.time = time;
        this.text = text;
        this.exchanges = exchanges;
        this.lost = lost;
    }

    @Override
    public <Q, S> ClientCall<Q, S> interceptCall(MethodDescriptor<Q, S> method, CallOptions options, Channel next) {
        String rpc = String.valueOf(method.getBareMethodName());
        AtomicBoolean answered = new AtomicBoolean();
        CallOptions traced = options.withStreamTracerFactory(new ClientStreamTracer.Factory() {
            @Override
            public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
                return new ClientStreamTracer() {
                    @Override
                    public void inboundTrailers(Metadata trailers) {
                        answered.set(true);
                    }
                };
            }
        });
        return new SimpleForwardingClientCall<>(next.newCall(method, traced)) {
            private final long start = time.nanos();
            private String request = "";

            @Override
            public void sendMessage(Q message) {
                request = text.of((Message) message);
                super.sendMessage(message);
            }

            @Override
            public void start(Listener<S> listener, Metadata headers) {
                super.start(
                        new SimpleForwardingClientCallListener<>(listener) {
                            private @Nullable String first;
                            private int messages;

                            @Override
                            public void onMessage(S message) {
                                messages++;
                                if (first == null) {
                                    first = text.of((Message) message);
                                }
                                super.onMessage(message);
                            }

                            @Override
                            public void onClose(Status status, Metadata trailers) {
                                boolean missing = !status.isOk() && !answered.get();
                                exchanges.accept(
                                        new Exchange(
                                                rpc,
                                                request,
                                                answer(status),
                                                status.isOk(),
                                                Duration.ofNanos(time.nanos() - start)),
                                        missing || status.getDescription() == null
                                                ? ""
                                                : text.safe(status.getDescription()));
                                if (missing && !BY_CALLER.contains(status.getCode())) {
                                    lost.accept(rpc);
                                }
                                super.onClose(status, missing ? NoAnswer.trailers() : trailers);
                            }

                            private String answer(Status status) {
                                if (!status.isOk()) {
                                    return status.getCode()
                                            + (status.getDescription() == null
                                                    ? ""
                                                    : ": " + text.safe(status.getDescription()));
                                }
                                return "OK: " + (first == null ? "(no message)" : first)
                                        + (messages > 1 ? " and " + (messages - 1) + " more messages" : "");
                            }
                        },
                        headers);
            }
        };
    }
}
