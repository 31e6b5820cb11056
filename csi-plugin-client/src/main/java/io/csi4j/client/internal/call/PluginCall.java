package io.csi4j.client.internal.call;

import io.csi4j.client.internal.retry.AttemptListener;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.spi.Cancellable;
import io.grpc.Deadline;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** One attempt of a plugin's RPC with a single response: decodes the response, and explains the failure. */
final class PluginCall<Q, A, R> extends UnaryCall<Q, A> {
    private final Calls calls;
    private final RpcCall<Q, A> call;
    private final Function<? super A, ? extends R> decoder;
    private final AttemptListener<? super R> listener;
    private final long nanos;

    private PluginCall(
            Calls calls,
            RpcCall<Q, A> call,
            Function<? super A, ? extends R> decoder,
            AttemptListener<? super R> listener,
            long nanos) {
        super(
                calls.connection(),
                call.method(),
                call.request(),
                calls.options().withDeadline(Deadline.after(nanos, TimeUnit.NANOSECONDS)));
        this.calls = calls;
        this.call = call;
        this.decoder = decoder;
        this.listener = listener;
        this.nanos = nanos;
    }

    /** Sends the call. The listener may be called before this method returns. */
    static <Q, A, R> Cancellable begin(
            Calls calls,
            RpcCall<Q, A> call,
            Function<? super A, ? extends R> decoder,
            AttemptListener<? super R> listener,
            long nanos) {
        PluginCall<Q, A, R> begun = new PluginCall<>(calls, call, decoder, listener, nanos);
        begun.begin();
        return begun;
    }

    @Override
    protected void answered(A message) {
        R decoded;
        try {
            decoded = decoder.apply(message);
        } catch (RuntimeException unusable) {
            // No retry, because the plugin would send the same unusable response again.
            listener.failed(calls.failures().unusable(call, unusable), true, false);
            return;
        }
        listener.answered(decoded);
    }

    @Override
    protected void unusable(String problem) {
        listener.failed(calls.failures().unusable(call, problem, null), true, false);
    }

    @Override
    protected void failed(Status status, CallTrace trace) {
        CsiCallException failure = calls.failed(call, status, trace, Duration.ofNanos(nanos));
        // If gRPC in this process reports RESOURCE_EXHAUSTED, the response exceeds the size limit. The call is not
        // retried then, because the next response would exceed it, too.
        boolean tooLarge = !trace.fromPeer(status) && failure.code() == StatusCode.RESOURCE_EXHAUSTED;
        listener.failed(failure, trace.sent(), !tooLarge);
    }

    @Override
    protected void broken(Throwable fault) {
        listener.failed(fault, true, false);
    }
}
