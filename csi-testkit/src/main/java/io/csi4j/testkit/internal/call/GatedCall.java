package io.csi4j.testkit.internal.call;

import com.google.protobuf.Message;
import io.csi4j.core.call.StatusCode;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.testkit.fault.FaultAction;
import io.csi4j.testkit.fault.WrongAnswer;
import io.csi4j.testkit.history.CallResult;
import io.csi4j.testkit.internal.service.OtherPlace;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.inprocess.InProcessSocketAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One call that passes the gate. The service uses it as a {@link ServerCall}, and the transport as the listener of the
 * call.
 *
 * <p>The lock orders the events of the transport and those of a fault, which may come from another thread.
 */
final class GatedCall<Q, S> extends TypedCall<Q, S> {
    private static final StatusCode[] CODES = StatusCode.values();
    /** The codes with which CSI demands that the caller changes the request before it calls again (R33, R58). */
    private static final Set<StatusCode> CHANGE_REQUEST =
            EnumSet.of(StatusCode.INVALID_ARGUMENT, StatusCode.ALREADY_EXISTS, StatusCode.OUT_OF_RANGE);
    /** The messages of an endless stream after which other events of the call have their turn. */
    private static final int BATCH = 100;

    private final CallGate gate;
    private final RequestInspector fields;
    private @Nullable RecordedCall recorded;
    private @Nullable ActiveFault fault;
    /** Whether the service must not be called any more. */
    private boolean closed;
    /** The last message of the service; null if it has sent none. */
    private @Nullable Message last;
    /** The message that an endless stream repeats; null if the stream still has its own messages. */
    private @Nullable Message repeated;

    GatedCall(CallGate gate, RequestInspector fields, MethodDescriptor<Q, S> method, ServerCall<Q, Object> caller) {
        super(method, caller);
        this.gate = gate;
        this.fields = fields;
    }

    /** Returns the listener for the transport. */
    Listener<Q> listen(Listener<Q> service) {
        return new Events(service);
    }

    private final class Events extends Listener<Q> {
        private final Listener<Q> service;

        Events(Listener<Q> service) {
            this.service = service;
        }

        @Override
        public void onMessage(Q request) {
            arrived((Message) request);
            service.onMessage(seen(request));
        }

        @Override
        public void onHalfClose() {
            ActiveFault acting = fault;
            if (acting == null) {
                gate.transport().afterReading(() -> handle(service));
            } else if (acting.rule().delay().isZero()) {
                act(acting, service);
            } else {
                later(acting).execute(() -> act(acting, service));
            }
        }

        @Override
        public void onCancel() {
            synchronized (GatedCall.this) {
                closed = true;
                end();
                service.onCancel();
            }
        }

        @Override
        public void onComplete() {
            service.onComplete();
        }

        @Override
        public void onReady() {
            synchronized (GatedCall.this) {
                if (repeated == null) {
                    service.onReady();
                } else {
                    repeat();
                }
            }
        }
    }

    @SuppressWarnings("unchecked") // The changed request has the type of the request.
    private Q seen(Q request) {
        return (Q) WrongAnswers.request(wrongAnswer(), (Message) request);
    }

    private Optional<WrongAnswer> wrongAnswer() {
        return fault == null ? Optional.empty() : fault.rule().action().wrongAnswer();
    }

    /** Sends some messages of an endless stream, as long as the caller reads them. */
    private synchronized void repeat() {
        Message message = repeated;
        for (int i = 0; i < BATCH && message != null && !closed && caller.isReady(); i++) {
            caller.sendMessage(message);
        }
        if (!closed && caller.isReady()) {
            gate.executor().execute(this::repeat);
        }
    }

    private void arrived(Message request) {
        RecordedCall call = gate.recorder().begin(fields, request, gate.ownNode());
        recorded = call;
        call.bindsName = gate.names().arrived(request);
        fault = gate.faults().claim(call.rpc(), call.volume, call.node);
        if (fault == null) {
            gate.recorder().begun(call);
        } else {
            gate.recorder().begun(call, fault.rule());
        }
    }

    private Executor later(ActiveFault acting) {
        return CompletableFuture.delayedExecutor(
                acting.rule().delay().toNanos(), TimeUnit.NANOSECONDS, gate.executor());
    }

    private void act(ActiveFault acting, Listener<Q> service) {
        FaultAction action = acting.rule().action();
        switch (action.kind()) {
            case FAIL -> fail(action, errorText(action), errorText(action));
            case FAIL_ECHOING_SECRETS ->
                fail(action, echo(), "(a text that contains the secrets of the request, left out here)");
            case HANG -> acting.whenRemoved(() -> gate.executor().execute(() -> handle(service)));
            case DROP_CONNECTION_BEFORE -> {
                gate.transport().dropConnections();
                unavailable();
            }
            case CRASH_BEFORE -> {
                gate.transport().crash();
                unavailable();
            }
            case ANSWER_WITHOUT_EFFECT -> answerWithoutEffect();
            case LINK_TARGET -> linkTarget(action);
            default -> handle(service);
        }
    }

    private synchronized void handle(Listener<Q> service) {
        if (closed) {
            return;
        }
        if (wrongAnswer().filter(WrongAnswer.OTHER_PLACE::equals).isPresent()) {
            OtherPlace.run(service::onHalfClose);
        } else {
            service.onHalfClose();
        }
    }

    /** Puts a link at the target of NodePublishVolume, and answers as if the volume was published. */
    private void linkTarget(FaultAction action) {
        RecordedCall call = recorded;
        if (call != null && call.request instanceof NodePublishVolumeRequest publish) {
            Path target = Path.of(publish.getTargetPath());
            try {
                boolean unused = Files.deleteIfExists(target);
                Path unusedLink = Files.createSymbolicLink(target, Path.of(action.text()));
            } catch (IOException e) {
                fail(
                        FaultAction.fail(StatusCode.INTERNAL, ""),
                        "cannot link " + target + ": " + e,
                        "cannot link: " + e);
                return;
            }
        }
        answerWithoutEffect();
    }

    private synchronized void answerWithoutEffect() {
        if (closed) {
            return;
        }
        closed = true;
        sendHeaders(new Metadata());
        sendMessage(emptyAnswer());
        close(Status.OK, new Metadata());
    }

    private static String errorText(FaultAction action) {
        return action.text().isEmpty() ? "a fault of the test failed this call" : action.text();
    }

    private String echo() {
        RecordedCall call = recorded;
        return "the storage refused the login with "
                + (call == null ? "" : fields.secrets(call.request).toString());
    }

    private synchronized void fail(FaultAction action, String text, String recordedText) {
        if (closed) {
            return;
        }
        closed = true;
        StatusCode code = action.code().orElse(StatusCode.UNKNOWN);
        result(new CallResult(code, recordedText));
        end();
        caller.close(Status.fromCodeValue(code.number()).withDescription(text), new Metadata());
    }

    /**
     * Ends the call with UNAVAILABLE after its connection was cut. Only a caller in this process receives the status.
     */
    private synchronized void unavailable() {
        closed = true;
        end();
        if (!(caller.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) instanceof InProcessSocketAddress)) {
            return;
        }
        caller.close(Status.UNAVAILABLE.withDescription("a fault of the test cut the connection"), new Metadata());
    }

    private void result(CallResult result) {
        if (recorded == null) {
            return;
        }
        gate.recorder().result(recorded, result);
        if (recorded.bindsName && CHANGE_REQUEST.contains(result.code()) && !losesAnswer()) {
            gate.names().refused(recorded.request);
        }
    }

    private void end() {
        if (recorded != null) {
            gate.recorder().ended(recorded);
        }
    }

    /** Returns the kind of the acting fault; {@link FaultAction.Kind#CONTINUE}: none. */
    private FaultAction.Kind kind() {
        return fault == null ? FaultAction.Kind.CONTINUE : fault.rule().action().kind();
    }

    private boolean losesAnswer() {
        return switch (kind()) {
            case LOSE_REPLY, DROP_CONNECTION_AFTER, CRASH_AFTER -> true;
            default -> false;
        };
    }

    @Override
    public void sendHeaders(Metadata headers) {
        if (!losesAnswer()) {
            caller.sendHeaders(headers);
        }
    }

    @Override
    public void sendMessage(S message) {
        if (recorded != null) {
            gate.recorder().answered(recorded, message);
        }
        last = (Message) message;
        if (!losesAnswer()) {
            caller.sendMessage(
                    fault == null ? message : WrongAnswers.of(fault.rule().action(), message));
        }
    }

    @Override
    public void close(Status status, Metadata trailers) {
        Message message = last;
        if (message != null
                && status.isOk()
                && wrongAnswer().filter(WrongAnswer.ENDLESS_STREAM::equals).isPresent()) {
            repeated = WrongAnswers.withoutRanges(message);
            gate.executor().execute(this::repeat);
            return;
        }
        result(new CallResult(
                CODES[status.getCode().value()], status.getDescription() == null ? "" : status.getDescription()));
        switch (kind()) {
            case LOSE_REPLY -> {
                // The call stays open until the caller gives up.
            }
            case DROP_CONNECTION_AFTER -> {
                end();
                gate.transport().dropConnections();
                unavailable();
            }
            case CRASH_AFTER -> {
                end();
                gate.transport().crash();
                unavailable();
            }
            default -> {
                end();
                caller.close(status, trailers);
            }
        }
    }
}
