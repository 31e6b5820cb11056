package io.csi4j.client.internal.call;

import io.csi4j.client.CallDeadlines;
import io.csi4j.client.internal.codec.UnusableAnswerException;
import io.csi4j.client.internal.retry.AttemptListener;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.internal.transport.ElapsedTime;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.spi.Cancellable;
import io.grpc.CallOptions;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Function;

/**
 * Makes calls over one connection. A decoder converts each message for the caller, and throws {@link UnusableAnswerException} for a response that breaks a rule.
 */
public final class Calls {
    private final Connection connection;
    private final StatusMapper mapper;
    private final CallDeadlines deadlines;
    private final ElapsedTime elapsed;
    private final CallOptions options;

    public Calls(Connection connection, StatusMapper mapper, CallDeadlines deadlines, ElapsedTime elapsed) {
        this(connection, mapper, deadlines, elapsed, CallOptions.DEFAULT);
    }

    private Calls(
            Connection connection,
            StatusMapper mapper,
            CallDeadlines deadlines,
            ElapsedTime elapsed,
            CallOptions options) {
        this.connection = connection;
        this.mapper = mapper;
        this.deadlines = deadlines;
        this.elapsed = elapsed;
        this.options = options;
    }

    /** Returns a copy with other deadlines; both use the same connection. */
    public Calls with(CallDeadlines others) {
        return new Calls(connection, mapper, others, elapsed, options);
    }

    /** Returns a copy that handles responses on another executor; both use the same connection. */
    public Calls on(Executor executor) {
        return new Calls(connection, mapper, deadlines, elapsed, options.withExecutor(executor));
    }

    /**
     * Sends one request and waits for one response, without retries.
     *
     * @param nanos the time to wait
     * @param listener is notified of the response or the failure, on a thread of the client's executor
     */
    public <Q, A, R> Cancellable send(
            RpcCall<Q, A> call,
            Function<? super A, ? extends R> decoder,
            long nanos,
            AttemptListener<? super R> listener) {
        return PluginCall.begin(this, call, decoder, listener, nanos);
    }

    /** Sends one request and passes the messages of its stream to a subscriber. Each subscriber has its own call. */
    public <Q, A, R> void stream(
            RpcCall<Q, A> call, Function<? super A, ? extends R> decoder, Flow.Subscriber<? super R> subscriber) {
        RpcStream.begin(this, call, decoder, subscriber);
    }

    /** Checks that the client is open; throws an {@link IllegalStateException} if it is closed. */
    public void mustBeOpen() {
        if (connection.isClosed()) {
            throw closed();
        }
    }

    public IllegalStateException closed() {
        return new IllegalStateException("the client of " + mapper.label() + " is closed; make a new one");
    }

    public Connection connection() {
        return connection;
    }

    CallOptions options() {
        return options;
    }

    public ElapsedTime elapsed() {
        return elapsed;
    }

    public Duration deadline(RpcCall<?, ?> call) {
        return deadlines.of(call.rpc());
    }

    /** Returns the exception for a call that did not end with OK. */
    public CsiCallException failed(RpcCall<?, ?> call, Status status, CallTrace trace, Duration waited) {
        if (connection.isClosed() && !trace.answered()) {
            return mapper.closed(call);
        }
        if (!trace.answered()) {
            connection.suspect();
        }
        return mapper.failed(call, status, trace, waited);
    }

    public CsiCallException silent(RpcCall<?, ?> call, CallTrace trace) {
        connection.suspect();
        return mapper.silent(call, trace, deadline(call));
    }

    /** Returns the builder of the exceptions for unusable responses. */
    CallFailures failures() {
        return mapper.failures();
    }
}
