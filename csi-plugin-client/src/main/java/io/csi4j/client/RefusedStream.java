package io.csi4j.client;

import java.util.concurrent.Flow;

/** A stream that fails before anything was sent. */
final class RefusedStream implements Flow.Subscription {
    private boolean cancelled;

    private RefusedStream() {}

    static void begin(Flow.Subscriber<?> subscriber, RuntimeException why) {
        RefusedStream stream = new RefusedStream();
        subscriber.onSubscribe(stream);
        if (!stream.cancelled) {
            subscriber.onError(why);
        }
    }

    @Override
    public void request(long n) {
        // The failure comes in any case.
    }

    @Override
    public void cancel() {
        cancelled = true;
    }
}
