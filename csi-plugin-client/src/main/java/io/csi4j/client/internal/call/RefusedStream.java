package io.csi4j.client.internal.call;

import java.util.concurrent.Flow;

/** A stream whose call is rejected: it reports the failure to the subscriber and sends nothing to the plugin. */
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
        // The subscriber's request is ignored, because the stream fails in any case.
    }

    @Override
    public void cancel() {
        cancelled = true;
    }
}
