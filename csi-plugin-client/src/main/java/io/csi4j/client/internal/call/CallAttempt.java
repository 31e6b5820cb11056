package io.csi4j.client.internal.call;

import io.csi4j.client.internal.transport.Connection;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.function.Consumer;

/**
 * One attempt to send a call. A second attempt is made only if the connection was closed before the call was written to
 * it, or if gRPC rejected the call because an earlier attempt to connect had failed. In both cases the peer has not
 * received the call, so the second attempt is not a retry.
 */
final class CallAttempt<Q, A> {
    private static final int MAX = 3;

    private final Connection connection;
    private final MethodDescriptor<Q, A> method;
    private final Q request;
    private final CallOptions options;
    private final int number;
    private final long connectsBefore;
    private final CallTrace trace = new CallTrace();
    private final ClientCall<Q, A> wire;
    /**
     * True if {@link Connection#enter} returned true for this attempt: the threads of the connection then continue
     * until the attempt ends. The field is written before the listener is passed to gRPC, and read only by the
     * listener.
     */
    private boolean entered;

    private CallAttempt(
            Connection connection, MethodDescriptor<Q, A> method, Q request, CallOptions options, int number) {
        this.connection = connection;
        this.method = method;
        this.request = request;
        this.options = options;
        this.number = number;
        this.connectsBefore = connection.connects();
        // Detaches the call from the caller's gRPC context: the caller may be serving a gRPC call itself, and the end
        // of that call must not cancel this one.
        Context callers = Context.ROOT.attach();
        try {
            this.wire = connection.forCall().newCall(method, options.withStreamTracerFactory(trace));
        } finally {
            Context.ROOT.detach(callers);
        }
    }

    /**
     * Creates the first attempt.
     *
     * @param options the executor and the deadline; a stream has no deadline: {@code RpcStream} limits the time between two messages instead
     */
    static <Q, A> CallAttempt<Q, A> first(
            Connection connection, MethodDescriptor<Q, A> method, Q request, CallOptions options) {
        return new CallAttempt<>(connection, method, request, options, 1);
    }

    /**
     * Starts the next attempt after this one has ended with a status for which {@link #mayRestart} returns true.
     * Usually the next attempt starts at once. If gRPC failed this attempt only because an earlier connect had failed,
     * the next attempt waits until gRPC accepts calls again.
     */
    void restart(Status end, Consumer<CallAttempt<Q, A>> begin) {
        Runnable next = () -> begin.accept(new CallAttempt<>(connection, method, request, options, number + 1));
        if (end.getCause() != null && nothingTried()) {
            connection.afresh(next);
        } else {
            next.run();
        }
    }

    /** Returns true if the connection has not tried to connect since this attempt began. */
    private boolean nothingTried() {
        return connection.connects() == connectsBefore;
    }

    /**
     * Sends the request. The listener may be called before this method returns, possibly on the same thread. Its {@code onClose} calls
     * {@link #ended}.
     *
     * @param messages the number of messages to request at first
     */
    void send(ClientCall.Listener<A> listener, int messages) {
        entered = connection.enter();
        try {
            wire.start(listener, new Metadata());
        } catch (RuntimeException | Error unstarted) {
            ended();
            throw unstarted;
        }
        if (messages > 0) {
            wire.request(messages);
        }
        try {
            wire.sendMessage(request);
            wire.halfClose();
        } catch (RuntimeException | Error unsendable) {
            wire.cancel("the request could not be sent", unsendable);
            throw unsendable;
        }
    }

    /** Handles gRPC's report of the end of this attempt. */
    void ended() {
        if (entered) {
            connection.leave();
        }
    }

    void request(int messages) {
        wire.request(messages);
    }

    void cancel(String reason) {
        wire.cancel(reason, null);
    }

    CallTrace trace() {
        return trace;
    }

    /**
     * Returns whether another attempt may begin after this one has ended with the given status. Returns false if a
     * connect has failed since this attempt began.
     */
    boolean mayRestart(Status end) {
        return end.getCode() == Status.Code.UNAVAILABLE
                && !trace.sent()
                && !trace.answered()
                && number < MAX
                && !connection.isClosed()
                && (nothingTried() || !connection.failing());
    }
}
