package io.csi4j.core.internal.metadata;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.SnapshotMetadataService;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Flow;

/**
 * A service whose streams are written down by a test, one after the other. It sends what was asked for
 * and no more, on the thread that asks. Not safe for use by several threads.
 */
final class ScriptedMetadata implements SnapshotMetadataService {
    /** How a stream ends after its messages: an exception, or null for the proper end, or never. */
    record Script(List<?> messages, Throwable end, boolean ends) {}

    private final Deque<Script> scripts = new ArrayDeque<>();
    private final List<Object> requests = new ArrayList<>();
    private int cancelled;

    ScriptedMetadata complete(Object... messages) {
        scripts.add(new Script(List.of(messages), null, true));
        return this;
    }

    ScriptedMetadata breakOff(Object... messages) {
        return end(broken(), messages);
    }

    ScriptedMetadata end(Throwable end, Object... messages) {
        scripts.add(new Script(List.of(messages), end, true));
        return this;
    }

    ScriptedMetadata hang(Object... messages) {
        scripts.add(new Script(List.of(messages), null, false));
        return this;
    }

    static CsiCallException broken() {
        return failure(StatusCode.UNAVAILABLE, CallOutcome.OUTCOME_UNKNOWN);
    }

    static CsiCallException failure(StatusCode code, CallOutcome outcome) {
        return new CsiCallException(
                Rpc.GET_METADATA_ALLOCATED, "csi.example.com", "snap-1", code, outcome, "it broke: " + code, null);
    }

    List<Object> requests() {
        return requests;
    }

    int cancelled() {
        return cancelled;
    }

    int left() {
        return scripts.size();
    }

    @Override
    public Flow.Publisher<GetMetadataAllocatedResponse> getMetadataAllocated(GetMetadataAllocatedRequest request) {
        return stream(request);
    }

    @Override
    public Flow.Publisher<GetMetadataDeltaResponse> getMetadataDelta(GetMetadataDeltaRequest request) {
        return stream(request);
    }

    private <R> Flow.Publisher<R> stream(Object request) {
        requests.add(request);
        Script script = scripts.remove();
        return subscriber -> subscriber.onSubscribe(new Play<>(script, subscriber));
    }

    private final class Play<R> implements Flow.Subscription {
        private final Script script;
        private final Flow.Subscriber<? super R> subscriber;
        private long demand;
        private int sent;
        private boolean sending;
        private boolean done;

        Play(Script script, Flow.Subscriber<? super R> subscriber) {
            this.script = script;
            this.subscriber = subscriber;
        }

        @Override
        public void request(long n) {
            demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
            if (sending) {
                return;
            }
            sending = true;
            while (!done && demand > 0 && sent < script.messages().size()) {
                demand--;
                @SuppressWarnings("unchecked") // the test wrote messages of this RPC
                R message = (R) script.messages().get(sent++);
                subscriber.onNext(message);
            }
            if (!done && sent == script.messages().size() && script.ends()) {
                done = true;
                if (script.end() == null) {
                    subscriber.onComplete();
                } else {
                    subscriber.onError(script.end());
                }
            }
            sending = false;
        }

        @Override
        public void cancel() {
            if (!done) {
                done = true;
                cancelled++;
            }
        }
    }
}
