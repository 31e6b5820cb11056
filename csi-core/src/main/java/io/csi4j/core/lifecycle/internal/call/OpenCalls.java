package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.PluginCall;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The calls that wait for a permit or are in flight. Thread-safe. */
final class OpenCalls {
    private final ConcurrentSkipListMap<Long, OpenCall> calls = new ConcurrentSkipListMap<>();
    private final AtomicLong begun = new AtomicLong();

    OpenCall begin(CallSubject subject, Moment since) {
        OpenCall call = new OpenCall(begun.incrementAndGet(), subject, since);
        calls.put(call.position, call);
        return call;
    }

    /** Returns the calls after a position, oldest first. */
    SortedMap<Long, PluginCall> list(long after) {
        SortedMap<Long, PluginCall> list = new TreeMap<>();
        calls.tailMap(after, false).forEach((position, call) -> list.put(position, call.view()));
        return list;
    }

    /** One open call. Each call has a position of its own, so that two calls with equal subjects are kept apart. */
    final class OpenCall {
        private final long position;
        private final CallSubject subject;
        private final Moment since;
        private volatile @Nullable Sent sent;

        private OpenCall(long position, CallSubject subject, Moment since) {
            this.position = position;
            this.subject = subject;
            this.since = since;
        }

        void sent(NodeId nodeId, Moment at) {
            sent = new Sent(nodeId, at);
        }

        void ended() {
            calls.remove(position);
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
