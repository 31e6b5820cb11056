package io.csi4j.client.internal.call;

import java.util.concurrent.Flow;

/** A stream that fails before anything was sent. */
public final class RefusedStream implements Flow.Subscription {
    private boolean cancelled;

    private RefusedStream() {}

    public static void begin(Flow.Subscriber<?> subscriber, RuntimeException reason) {
        RefusedStream stream = new RefusedStream();
        subscriber.onSubscribe(stream);
        if (!stream.cancelled) {
            subscriber.onError(reason);
        }
    }

    @Override
    public void request(long n) {
        // Ignored, because the failure follows in any case.
    }

    @Override
    public void cancel() {
        cancelled = true;
    }
}
