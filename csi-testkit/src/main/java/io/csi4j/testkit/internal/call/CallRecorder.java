package io.csi4j.testkit.internal.call;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.history.CallRecord;
import io.csi4j.testkit.history.CallResult;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Keeps the newest calls of a plugin. Thread-safe. */
public final class CallRecorder {
    private final Clock clock;
    private final int capacity;
    private final ArrayDeque<RecordedCall> calls = new ArrayDeque<>();
    private final Set<String> secrets = new HashSet<>();
    private final List<Consumer<CallRecord>> followers = new CopyOnWriteArrayList<>();
    private long numbers;
    private long orders;

    /**
     * Creates a recorder.
     *
     * @param clock the clock for the times of calls
     * @param capacity the greatest number of calls to keep
     */
    public CallRecorder(Clock clock, int capacity) {
        this.clock = clock;
        this.capacity = capacity;
    }

    synchronized RecordedCall begin(RequestInspector fields, Message request, String ownNode) {
        RecordedCall call =
                new RecordedCall(++numbers, fields, request, fields.node(request, ownNode), clock.instant(), ++orders);
        if (fields.hasSecrets(request)) {
            secrets.addAll(fields.secrets(request).values());
        }
        if (capacity > 0) {
            if (calls.size() == capacity) {
                calls.removeFirst();
            }
            calls.addLast(call);
        }
        return call;
    }

    /** Publishes the beginning of a call to the followers, before the call has an effect. */
    synchronized void begun(RecordedCall call, FaultRule fault) {
        call.fault = fault;
        publish(call);
    }

    synchronized void begun(RecordedCall call) {
        publish(call);
    }

    /** Records the result that the plugin sends, or would send if no fault changed the call. */
    synchronized void result(RecordedCall call, CallResult result) {
        call.result = result;
    }

    synchronized void answered(RecordedCall call, Object answer) {
        if (answer instanceof CreateVolumeResponse created) {
            call.created = created.getVolume().getVolumeId();
        }
    }

    synchronized void ended(RecordedCall call) {
        if (call.end == null) {
            call.end = clock.instant();
            call.endOrder = ++orders;
            publish(call);
        }
    }

    private void publish(RecordedCall call) {
        if (!followers.isEmpty()) {
            CallRecord record = call.toRecord();
            followers.forEach(follower -> {
                try {
                    follower.accept(record);
                } catch (UncheckedIOException gone) {
                    // The follower has ended its connection, which also ends its subscription.
                    followers.remove(follower);
                }
            });
        }
    }

    /** Notifies a follower when a call begins and when it ends, in order. The returned action removes the follower. */
    public synchronized Runnable follow(Consumer<CallRecord> follower) {
        followers.add(follower);
        return () -> followers.remove(follower);
    }

    public synchronized CallHistory history() {
        List<CallRecord> records = new ArrayList<>(calls.size());
        calls.forEach(call -> records.add(call.toRecord()));
        return new CallHistory(records, numbers - calls.size());
    }

    /** Returns the values of all secrets that requests contained, for the check that no log shows them. */
    public synchronized Set<String> secrets() {
        return Set.copyOf(secrets);
    }
}
