package io.csi4j.client.internal.log;

import io.csi4j.client.internal.call.Calls;
import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.retry.Transmission;
import io.csi4j.client.internal.transport.ElapsedTime;
import io.csi4j.core.internal.text.Durations;
import java.util.concurrent.Flow;
import java.util.function.Function;

/**
 * The request log of one client.
 *
 * @param log gets the lines
 * @param plugin the plugin's name for messages
 * @param elapsed the clock that measures how long each call takes
 */
public record CallLog(RequestLines log, String plugin, ElapsedTime elapsed) {
    /** Returns the object that sends a call to the plugin; it logs each attempt. */
    public <Q, A, R> Transmission<R> over(Calls calls, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        if (!log.isOn()) {
            return (nanos, listener) -> calls.send(call, decoder, nanos, listener);
        }
        LoggedAttempts<A, R> attempts = new LoggedAttempts<>(new CallLines(log, call, plugin), elapsed, decoder);
        return (nanos, listener) -> {
            LoggedAttempts<A, R>.Try next = attempts.next(nanos, listener);
            return calls.send(call, next::read, nanos, next);
        };
    }

    /** Begins a streaming call; each message is logged. */
    public <Q, A, R> void stream(
            Calls calls,
            RpcCall<Q, A> call,
            Function<? super A, ? extends R> decoder,
            Flow.Subscriber<? super R> subscriber) {
        if (!log.isOn()) {
            calls.stream(call, decoder, subscriber);
            return;
        }
        String silence = Durations.text(calls.deadline(call)) + " without a message";
        LoggedStream<A, R> logged =
                new LoggedStream<>(new CallLines(log, call, plugin), elapsed, decoder, subscriber, silence);
        calls.stream(call, logged::read, logged);
    }
}
