package io.csi4j.core.internal.metadata;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.internal.check.InputLimit;
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The stream of one subscriber. It consists of one or more streams of the plugin. */
final class ResumingStream<Q, R> implements Flow.Subscription {
    /** The number of messages in a row without a range after which the stream fails, because it makes no progress. */
    static final int MAX_WITHOUT_RANGE = InputLimit.MESSAGES_WITHOUT_RANGE.max();

    private final ResumingSnapshotMetadata settings;
    private final MetadataRpc<Q, R> rpc;
    private final Q request;
    private final Flow.Subscriber<? super R> subscriber;
    private final Object lock = new Object();

    // All fields are guarded by the lock. The subscriber is called only without the lock.
    private final ReceivedRanges received = new ReceivedRanges();
    private Flow.@Nullable Subscription source;
    private long demand;
    private int resumedInVain;
    private int withoutRange;
    private boolean ended;

    ResumingStream(
            ResumingSnapshotMetadata settings,
            MetadataRpc<Q, R> rpc,
            Q request,
            Flow.Subscriber<? super R> subscriber) {
        this.settings = settings;
        this.rpc = rpc;
        this.request = request;
        this.subscriber = subscriber;
    }

    void begin() {
        subscriber.onSubscribe(this);
        open();
    }

    private void open() {
        Q next;
        synchronized (lock) {
            if (ended) {
                return;
            }
            received.streamBegins();
            long from = Math.max(rpc.startingOffset(request), received.end());
            next = from == rpc.startingOffset(request) ? request : rpc.from(request, from);
        }
        Flow.Publisher<R> publisher;
        try {
            publisher = rpc.open(settings.service(), next);
        } catch (RuntimeException closed) {
            fail(closed);
            return;
        }
        publisher.subscribe(new Source());
    }

    @Override
    public void request(long n) {
        if (n <= 0) {
            abort(new IllegalArgumentException("request: " + n + " messages were asked for; ask for at least one"));
            return;
        }
        Flow.Subscription current;
        synchronized (lock) {
            demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
            current = source;
        }
        if (current != null) {
            current.request(n);
        }
    }

    @Override
    public void cancel() {
        Flow.Subscription current;
        synchronized (lock) {
            ended = true;
            current = source;
        }
        if (current != null) {
            current.cancel();
        }
    }

    private void arrived(R message) {
        String problem;
        List<BlockMetadata> fresh = List.of();
        List<BlockMetadata> ranges = rpc.ranges(message);
        synchronized (lock) {
            if (ended) {
                return;
            }
            problem = received.problem(rpc.type(message), rpc.volumeCapacityBytes(message), ranges);
            withoutRange = ranges.isEmpty() ? withoutRange + 1 : 0;
            if (problem == null && withoutRange > MAX_WITHOUT_RANGE) {
                problem = MAX_WITHOUT_RANGE + " messages in a row hold no range";
            }
            if (problem == null) {
                fresh = received.add(rpc.type(message), rpc.volumeCapacityBytes(message), ranges);
                resumedInVain = fresh.isEmpty() ? resumedInVain : 0;
                if (!repeatsOnly(ranges, fresh) && demand != Long.MAX_VALUE) {
                    demand--;
                }
            }
        }
        if (problem != null) {
            abort(broken(problem));
        } else if (repeatsOnly(ranges, fresh)) {
            another();
        } else {
            subscriber.onNext(fresh.equals(ranges) ? message : rpc.with(message, fresh));
        }
    }

    /**
     * Returns whether a resumed stream has only repeated earlier ranges so far, because the plugin rounded the offset
     * down.
     */
    private static boolean repeatsOnly(List<BlockMetadata> ranges, List<BlockMetadata> fresh) {
        return fresh.isEmpty() && !ranges.isEmpty();
    }

    private void another() {
        Flow.Subscription current;
        synchronized (lock) {
            current = source;
        }
        if (current != null) {
            current.request(1);
        }
    }

    private void interrupted(Throwable failure) {
        if (!(failure instanceof CsiCallException broken) || broken.outcome() != CallOutcome.OUTCOME_UNKNOWN) {
            fail(failure);
            return;
        }
        boolean complete;
        boolean tooOften;
        synchronized (lock) {
            source = null;
            complete = received.reachedTheEnd();
            tooOften = resumedInVain >= settings.maxResumesWithoutProgress();
            resumedInVain++;
        }
        if (complete) {
            // All ranges were received. A request for an offset after the last byte would fail with OUT_OF_RANGE
            // (R103).
            complete();
        } else if (tooOften) {
            fail(gaveUp(broken));
        } else {
            resume(broken);
        }
    }

    private void resume(CsiCallException broken) {
        try {
            settings.timer().schedule(this::open, settings.pause());
        } catch (RuntimeException refused) {
            // The timer rejected the task, so the stream cannot be resumed.
            broken.addSuppressed(refused);
            fail(broken);
        }
    }

    private void complete() {
        if (end()) {
            subscriber.onComplete();
        }
    }

    private void fail(Throwable failure) {
        if (end()) {
            subscriber.onError(failure);
        }
    }

    private void abort(Throwable failure) {
        Flow.Subscription current;
        synchronized (lock) {
            current = source;
        }
        if (current != null) {
            current.cancel();
        }
        fail(failure);
    }

    /** Ends the stream. Returns true only for the call that ended it. */
    private boolean end() {
        synchronized (lock) {
            boolean first = !ended;
            ended = true;
            return first;
        }
    }

    private CsiCallException broken(String problem) {
        return rpc.broken(request, settings.plugin(), problem);
    }

    private CsiCallException gaveUp(CsiCallException last) {
        String snapshot = rpc.snapshotIdText(request);
        return new CsiCallException(
                rpc.rpc(),
                settings.plugin(),
                snapshot,
                last.code(),
                last.outcome(),
                rpc.rpc().csiName() + " for " + snapshot + " at plugin " + settings.plugin() + " failed (" + last.code()
                        + "): the stream broke " + (settings.maxResumesWithoutProgress() + 1)
                        + " times without a new range, last at the offset "
                        + Math.max(rpc.startingOffset(request), received.end())
                        + "; see to the plugin, then ask again from there. Last failure: " + last.getMessage(),
                last);
    }

    /** Receives the messages of the plugin's current stream. */
    private final class Source implements Flow.Subscriber<R> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            long due;
            boolean unwanted;
            synchronized (lock) {
                unwanted = ended;
                source = subscription;
                due = demand;
            }
            if (unwanted) {
                subscription.cancel();
            } else if (due > 0) {
                subscription.request(due);
            }
        }

        @Override
        public void onNext(R message) {
            arrived(message);
        }

        @Override
        public void onError(Throwable failure) {
            interrupted(failure);
        }

        @Override
        public void onComplete() {
            complete();
        }
    }
}
