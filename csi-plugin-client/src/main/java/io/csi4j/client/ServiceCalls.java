package io.csi4j.client;

import com.google.protobuf.Message;
import io.csi4j.client.discipline.CallDiscipline;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.rpc.CsiMessage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the typed services stand on: checks a request, and makes the call in its turn and as often as the rules say. */
final class ServiceCalls implements UnaryCalls {
    private final Calls calls;
    private final CallDiscipline discipline;
    private final CapabilityGuard guard;
    private final String plugin;

    ServiceCalls(Calls calls, CallDiscipline discipline, CapabilityGuard guard, String plugin) {
        this.calls = calls;
        this.discipline = discipline;
        this.guard = guard;
        this.plugin = plugin;
    }

    /** The same for a view of the client. */
    ServiceCalls with(CallDeadlines deadlines, CallDiscipline others) {
        return new ServiceCalls(calls.with(deadlines), others, guard, plugin);
    }

    /** The same for a view of the client that knows other capabilities. */
    ServiceCalls with(Supplier<Capabilities> known) {
        return new ServiceCalls(calls, discipline, new CapabilityGuard(plugin, known), plugin);
    }

    /**
     * {@inheritDoc} The future is completed by a thread of the client's executor.
     *
     * @throws IllegalStateException if the client is closed
     */
    @Override
    public <Q, A, R> CompletableFuture<R> unary(
            CsiMessage request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        return unary(guard.refusal(call.rpc(), request), call, decoder);
    }

    /**
     * The same for a request that came as a message.
     *
     * @throws IllegalStateException if the client is closed
     */
    <Q, A, R> CompletableFuture<R> relayed(RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        return unary(guard.refusal(call.rpc(), (Message) call.request()), call, decoder);
    }

    private <Q, A, R> CompletableFuture<R> unary(
            @Nullable RuntimeException refused, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        calls.mustBeOpen();
        if (refused != null) {
            return CompletableFuture.failedFuture(refused);
        }
        return discipline.begin(
                call, plugin, calls.deadline(call), (nanos, listener) -> calls.send(call, decoder, nanos, listener));
    }

    /**
     * A call with many answers. Each subscriber begins a call of its own.
     *
     * @throws IllegalStateException if the client is closed
     */
    <Q, A, R> Flow.Publisher<R> stream(
            CsiMessage request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        Flow.Publisher<R> stream = calls.stream(call, decoder);
        return subscriber -> {
            RuntimeException refused = guard.refusal(call.rpc(), request);
            if (refused == null) {
                stream.subscribe(discipline.observed(call, plugin, subscriber));
            } else {
                RefusedStream.begin(subscriber, refused);
            }
        };
    }
}
