package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.PluginCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The calls that wait for a permit or are in flight. Thread-safe. */
final class OpenCalls {
    private final Set<OpenCall> calls = ConcurrentHashMap.newKeySet();

    OpenCall begin(CallSubject subject, Moment since) {
        OpenCall call = new OpenCall(subject, since);
        calls.add(call);
        return call;
    }

    List<PluginCall> list() {
        List<PluginCall> list = new ArrayList<>();
        calls.forEach(call -> list.add(call.view()));
        return list;
    }

    /** One open call. Each call has an object of its own, so that two calls with equal subjects are kept apart. */
    final class OpenCall {
        private final CallSubject subject;
        private final Moment since;
        private volatile @Nullable Sent sent;

        private OpenCall(CallSubject subject, Moment since) {
            this.subject = subject;
            this.since = since;
        }

        void sent(NodeId nodeId, Moment at) {
            sent = new Sent(nodeId, at);
        }

        void ended() {
            calls.remove(this);
        }

        private PluginCall view() {
            Optional<Sent> now = Optional.ofNullable(sent);
            return new PluginCall(
                    subject.rpc(),
                    subject.plugin(),
                    now.map(Sent::nodeId),
                    subject.volume(),
                    subject.attempt(),
                    since.time(),
                    now.map(call -> call.at.time()));
        }
    }

    private record Sent(NodeId nodeId, Moment at) {}
}
