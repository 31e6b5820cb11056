package io.csi4j.client;

import io.csi4j.client.discipline.TryListener;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.spi.Cancellable;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.Flow;
import java.util.function.Function;

/**
 * Makes calls over one connection. What a caller gets is made by a decoder from the message on the wire;
 * a decoder throws {@link UnusableAnswerException} for an answer that breaks a rule.
 */
final class Calls {
    private final Connection connection;
    private final StatusMapper mapper;
    private final CallDeadlines deadlines;
    private final Ticker ticker;

    Calls(Connection connection, StatusMapper mapper, CallDeadlines deadlines, Ticker ticker) {
        this.connection = connection;
        this.mapper = mapper;
        this.deadlines = deadlines;
        this.ticker = ticker;
    }

    /** The same connection with other deadlines. */
    Calls with(CallDeadlines others) {
        return new Calls(connection, mapper, others, ticker);
    }

    /**
     * Sends one message and waits for one, once.
     *
     * @param nanos how long to wait
     * @param listener is told the end by a thread of the client's executor
     */
    <Q, A, R> Cancellable send(
            RpcCall<Q, A> call, Function<? super A, ? extends R> decoder, long nanos, TryListener<? super R> listener) {
        return UnaryCall.begin(this, call, decoder, listener, nanos);
    }

    /** Sends one message and hands those that come back to a subscriber, to whom this is a call of its own. */
    <Q, A, R> void stream(
            RpcCall<Q, A> call, Function<? super A, ? extends R> decoder, Flow.Subscriber<? super R> subscriber) {
        RpcStream.begin(this, call, decoder, subscriber);
    }

    /** Throws an {@link IllegalStateException} if the client is closed. */
    void mustBeOpen() {
        if (connection.isClosed()) {
            throw closed();
        }
    }

    IllegalStateException closed() {
        return new IllegalStateException("the client of " + mapper.label() + " is closed; make a new one");
    }

    Connection connection() {
        return connection;
    }

    Ticker ticker() {
        return ticker;
    }

    Duration deadline(RpcCall<?, ?> call) {
        return deadlines.of(call.rpc());
    }

    /** Why a call ended that did not end with OK. */
    CsiCallException failed(RpcCall<?, ?> call, Status status, CallTrace trace, Duration waited) {
        if (connection.isClosed() && !trace.answered()) {
            return mapper.closed(call);
        }
        if (!trace.answered()) {
            connection.suspect();
        }
        return mapper.failed(call, status, trace, waited);
    }

    CsiCallException silent(RpcCall<?, ?> call, CallTrace trace) {
        connection.suspect();
        return mapper.silent(call, trace, deadline(call));
    }

    /** Why an answer was of no use. */
    CsiCallException unusable(RpcCall<?, ?> call, RuntimeException problem) {
        return mapper.unusable(call, problem);
    }

    CsiCallException unusable(RpcCall<?, ?> call, String problem) {
        return mapper.unusable(call, problem);
    }
}
