package io.csi4j.client;

import io.csi4j.client.discipline.CallDiscipline;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.rpc.CsiMessage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.Supplier;

/** What the typed services stand on: checks a request, and makes the call in its turn and as often as the rules say. */
final class ServiceCalls implements UnaryCalls {
    private final Calls calls;
    private final CallDiscipline discipline;
    private final CapabilityGuard guard;
    private final CallLog log;
    private final KnownValues known;

    ServiceCalls(Calls calls, CallDiscipline discipline, CapabilityGuard guard, CallLog log, KnownValues known) {
        this.calls = calls;
        this.discipline = discipline;
        this.guard = guard;
        this.log = log;
        this.known = known;
    }

    /** The same for a view of the client. */
    ServiceCalls with(CallDeadlines deadlines, CallDiscipline others) {
        return new ServiceCalls(calls.with(deadlines), others, guard, log, known);
    }

    /** The same for a view of the client that knows other capabilities. */
    ServiceCalls with(Supplier<Capabilities> capabilities) {
        return new ServiceCalls(calls, discipline, new CapabilityGuard(guard.plugin(), capabilities), log, known);
    }

    /**
     * {@inheritDoc} The future is completed by a thread of the client's executor.
     *
     * @throws IllegalStateException if the client is closed
     */
    @Override
    public <Q, A, R> CompletableFuture<R> unary(
            CsiMessage request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        calls.mustBeOpen();
        RuntimeException refused = guard.refusal(call.rpc(), request);
        if (refused != null) {
            return CompletableFuture.failedFuture(refused);
        }
        RpcCall<Q, A> sent = known.sending(call);
        return discipline.begin(
                sent, guard.plugin(), calls.deadline(sent), log.over(calls, sent, remembering(sent, decoder)));
    }

    private <A, R> Function<A, R> remembering(RpcCall<?, A> call, Function<? super A, ? extends R> decoder) {
        return answer -> {
            known.answered(call, answer);
            return decoder.apply(answer);
        };
    }

    /** What collects the beginning of a stream. */
    PageCollector pageCollector(Duration deadline) {
        return new PageCollector(calls.ticker(), deadline);
    }

    /**
     * A call with many answers. Each subscriber begins a call of its own.
     *
     * @throws IllegalStateException if the client is closed
     */
    <Q, A, R> Flow.Publisher<R> stream(
            CsiMessage request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        calls.mustBeOpen();
        return subscriber -> {
            RuntimeException refused = guard.refusal(call.rpc(), request);
            if (refused == null) {
                RpcCall<Q, A> sent = known.sending(call);
                log.stream(calls, sent, decoder, discipline.observed(sent, guard.plugin(), subscriber));
            } else {
                RefusedStream.begin(subscriber, refused);
            }
        };
    }
}
