package io.csi4j.testkit.conformance.internal;

import com.google.protobuf.Message;
import io.csi4j.testkit.conformance.Exchange;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Records each call of a check with its answer. */
final class CheckRecorder implements ClientInterceptor {
    private final TimeSource time;
    private final MessageText text;
    private final Consumer<Exchange> exchanges;

    CheckRecorder(TimeSource time, MessageText text, Consumer<Exchange> exchanges) {
        this.time = time;
        this.text = text;
        this.exchanges = exchanges;
    }

    @Override
    public <Q, S> ClientCall<Q, S> interceptCall(MethodDescriptor<Q, S> method, CallOptions options, Channel next) {
        String rpc = String.valueOf(method.getBareMethodName());
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
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
                                exchanges.accept(new Exchange(
                                        rpc,
                                        request,
                                        answer(status),
                                        status.isOk(),
                                        Duration.ofNanos(time.nanos() - start)));
                                super.onClose(status, trailers);
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
