package io.csi4j.client.internal.call;

import io.csi4j.client.internal.transport.Connection;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One try to put a call through. Nearly always there is one only. A second one is made when the
 * connection was given up, by us or by the plugin, before the call was written to it, or when all it met was a failure
 * to connect that is older than itself: then the plugin has not seen the call, and beginning again is not a repeat.
 */
final class CallAttempt<Q, A> {
    private static final int MAX = 3;

    private final Connection connection;
    private final RpcCall<Q, A> call;
    private final @Nullable Deadline deadline;
    private final int number;
    private final long connectsBefore;
    private final CallTrace trace = new CallTrace();
    private final ClientCall<Q, A> wire;
    /** Set before gRPC knows the listener, which alone has it read. */
    private boolean entered;

    private CallAttempt(Connection connection, RpcCall<Q, A> call, @Nullable Deadline deadline, int number) {
        this.connection = connection;
        this.call = call;
        this.deadline = deadline;
        this.number = number;
        this.connectsBefore = connection.connects();
        // The caller may itself be serving a gRPC call; ours must not end with that one.
        Context callers = Context.ROOT.attach();
        try {
            this.wire = connection
                    .forCall()
                    .newCall(
                            call.method(),
                            CallOptions.DEFAULT.withDeadline(deadline).withStreamTracerFactory(trace));
        } finally {
            Context.ROOT.detach(callers);
        }
    }

    /** The first try; {@code deadline} is null for a stream, which watches over its time itself. */
    static <Q, A> CallAttempt<Q, A> first(Connection connection, RpcCall<Q, A> call, @Nullable Deadline deadline) {
        return new CallAttempt<>(connection, call, deadline, 1);
    }

    /** Has the next try begun after an end for which it may be: at once, or when the old failure is forgotten. */
    void beginAgain(Status end, Consumer<CallAttempt<Q, A>> begin) {
        Runnable next = () -> begin.accept(new CallAttempt<>(connection, call, deadline, number + 1));
        if (end.getCause() != null && nothingTried()) {
            connection.afresh(next);
        } else {
            next.run();
        }
    }

    /** Whether nobody has tried to connect since this began. */
    private boolean nothingTried() {
        return connection.connects() == connectsBefore;
    }

    /**
     * Sends the request. {@code listener} may be called before this returns, even by this thread. Its
     * {@code onClose} calls {@link #ended}.
     *
     * @param messages how many messages may come before more are requested
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
            wire.sendMessage(call.request());
            wire.halfClose();
        } catch (RuntimeException | Error unsendable) {
            wire.cancel("the request could not be sent", unsendable);
            throw unsendable;
        }
    }

    /** gRPC told the end of this try. */
    void ended() {
        if (entered) {
            connection.leave();
        }
    }

    void request(int messages) {
        wire.request(messages);
    }

    void cancel(String why) {
        wire.cancel(why, null);
    }

    CallTrace trace() {
        return trace;
    }

    /** Whether to begin again after this end. Not when connecting failed, and was tried since this began. */
    boolean mayBeginAgain(Status end) {
        return end.getCode() == Status.Code.UNAVAILABLE
                && !trace.sent()
                && !trace.answered()
                && number < MAX
                && !connection.isClosed()
                && (nothingTried() || !connection.failing());
    }
}
