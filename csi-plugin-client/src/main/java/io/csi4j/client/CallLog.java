package io.csi4j.client;

import io.csi4j.client.discipline.Transmission;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where the calls of one client are written down, if anybody wants to read them.
 *
 * @param log what the host gave; null: nothing is written
 * @param plugin the plugin, as messages call it
 * @param ticker elapsed time
 */
record CallLog(@Nullable RequestLog log, String plugin, Ticker ticker) {
    /** Carries one call, whose tries are written down. */
    <Q, A, R> Transmission<R> over(Calls calls, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        if (log == null || !log.isOn()) {
            return (nanos, listener) -> calls.send(call, decoder, nanos, listener);
        }
        LoggedTries<A, R> tries = new LoggedTries<>(new CallLines(log, call, plugin), ticker, decoder);
        return (nanos, listener) -> {
            LoggedTries<A, R>.Try next = tries.next(nanos, listener);
            return calls.send(call, next::read, nanos, next);
        };
    }

    /** Begins a call with many answers, which are written down. */
    <Q, A, R> void stream(
            Calls calls,
            RpcCall<Q, A> call,
            Function<? super A, ? extends R> decoder,
            Flow.Subscriber<? super R> subscriber) {
        if (log == null || !log.isOn()) {
            calls.stream(call, decoder, subscriber);
            return;
        }
        String silence = Durations.text(calls.deadline(call)) + " of silence";
        LoggedStream<A, R> logged =
                new LoggedStream<>(new CallLines(log, call, plugin), ticker, decoder, subscriber, silence);
        calls.stream(call, logged::read, logged);
    }
}
