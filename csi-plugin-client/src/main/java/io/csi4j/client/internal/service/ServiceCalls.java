package io.csi4j.client.internal.service;

import com.google.protobuf.Message;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.internal.call.Calls;
import io.csi4j.client.internal.call.CapabilityGuard;
import io.csi4j.client.internal.call.KnownValues;
import io.csi4j.client.internal.call.PageCollector;
import io.csi4j.client.internal.call.RefusedStream;
import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.call.UnaryCalls;
import io.csi4j.client.internal.limit.AnswerLimits;
import io.csi4j.client.internal.log.CallLog;
import io.csi4j.client.internal.retry.CallRetries;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.rpc.CsiRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The common part of the typed services: checks a request, and makes the call with retries and in the order that the client sets. */
public final class ServiceCalls implements UnaryCalls {
    private final Calls calls;
    private final CallRetries retries;
    private final CapabilityGuard guard;
    private final CallLog log;
    private final KnownValues known;

    public ServiceCalls(Calls calls, CallRetries retries, CapabilityGuard guard, CallLog log, KnownValues known) {
        this.calls = calls;
        this.retries = retries;
        this.guard = guard;
        this.log = log;
        this.known = known;
    }

    /** Returns a copy with other deadlines. The copy shares the connection with this object. */
    public ServiceCalls with(CallDeadlines deadlines) {
        return new ServiceCalls(calls.with(deadlines), retries, guard, log, known);
    }

    /** Returns a copy with other retries. The copy shares the connection with this object. */
    public ServiceCalls with(CallRetries others) {
        return new ServiceCalls(calls, others, guard, log, known);
    }

    /** Returns a copy whose responses are handled, and whose futures complete, on another executor. */
    public ServiceCalls on(Executor executor) {
        return new ServiceCalls(calls.on(executor), retries, guard, log, known);
    }

    /**
     * Returns a copy that checks requests against other capabilities. The copy shares the connection with this object.
     */
    public ServiceCalls with(Supplier<Capabilities> capabilities) {
        return new ServiceCalls(calls, retries, new CapabilityGuard(guard.plugin(), capabilities), log, known);
    }

    /**
     * {@inheritDoc} The future is completed by a thread of the client's executor.
     *
     * @throws IllegalStateException if the client is closed
     */
    @Override
    public <Q, A, R> CompletableFuture<R> unary(
            CsiRequest request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        calls.mustBeOpen();
        return begin(guard.refusal(call.rpc(), request), call, AnswerLimits.checked(decoder));
    }

    /**
     * Makes a call whose request was built and checked elsewhere. Only the capabilities that the RPC needs are checked
     * here; the caller checks the limits of the response.
     *
     * @throws IllegalStateException if the client is closed
     */
    public <Q, A, R> CompletableFuture<R> relay(RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        calls.mustBeOpen();
        return begin(guard.refusal(call.rpc()), call, decoder);
    }

    private <Q, A, R> CompletableFuture<R> begin(
            @Nullable RuntimeException refused, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        if (refused != null) {
            return CompletableFuture.failedFuture(refused);
        }
        RpcCall<Q, A> sent = known.sending(call);
        return retries.begin(
                sent, guard.plugin(), calls.deadline(sent), log.over(calls, sent, remembering(sent, decoder)));
    }

    private <A, R> Function<A, R> remembering(RpcCall<?, A> call, Function<? super A, ? extends R> decoder) {
        return answer -> {
            if (!(answer instanceof Message message) || AnswerLimits.holdsFor(message)) {
                known.answered(call, answer);
            }
            return decoder.apply(answer);
        };
    }

    /** Returns a new collector of the first page of a stream. */
    public <R> PageCollector<R> pageCollector(Duration deadline) {
        return new PageCollector<>(calls.elapsed(), deadline);
    }

    /**
     * Returns a publisher that begins a new call for each subscriber.
     *
     * @throws IllegalStateException if the client is closed
     */
    public <Q, A, R> Flow.Publisher<R> stream(
            CsiRequest request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        return begin(() -> guard.refusal(call.rpc(), request), call, AnswerLimits.checked(decoder));
    }

    /**
     * Returns a publisher of a call whose request was built and checked elsewhere, like {@link #relay}.
     *
     * @throws IllegalStateException if the client is closed
     */
    public <Q, A, R> Flow.Publisher<R> relayStream(RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        return begin(() -> guard.refusal(call.rpc()), call, decoder);
    }

    private <Q, A, R> Flow.Publisher<R> begin(
            Supplier<@Nullable RuntimeException> check, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        calls.mustBeOpen();
        return subscriber -> {
            RuntimeException refused = check.get();
            if (refused == null) {
                RpcCall<Q, A> sent = known.sending(call);
                log.stream(calls, sent, decoder, retries.observed(sent, guard.plugin(), subscriber));
            } else {
                RefusedStream.begin(subscriber, refused);
            }
        };
    }
}
