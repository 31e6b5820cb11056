package io.csi4j.client.internal.retry;

import io.csi4j.core.call.StatusCode;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the signals of a stream to its subscriber, and reports the start and the end of the stream to its subclass. The end is reported
 * once, before the subscriber is notified, whether the plugin or the subscriber ended the stream.
 *
 * @param <R> the messages
 */
public abstract class ForwardingStream<R> implements Flow.Subscriber<R>, Flow.Subscription {
    private final Flow.Subscriber<? super R> subscriber;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile Flow.@Nullable Subscription subscription;

    /**
     * Creates a stream that has not started.
     *
     * @param subscriber receives all signals
     */
    protected ForwardingStream(Flow.Subscriber<? super R> subscriber) {
        this.subscriber = subscriber;
    }

    /** Called when the call was sent. */
    protected abstract void started();

    /**
     * Called when the stream has ended without a failure.
     *
     * @param code OK, or CANCELLED if the subscriber cancelled it
     */
    protected abstract void ended(StatusCode code);

    /**
     * Called when the stream has failed.
     *
     * @param failure the failure that the subscriber gets
     */
    protected abstract void failed(Throwable failure);

    private void end(StatusCode code) {
        if (ended.compareAndSet(false, true)) {
            ended(code);
        }
    }

    @Override
    public final void onSubscribe(Flow.Subscription given) {
        subscription = given;
        started();
        subscriber.onSubscribe(this);
    }

    @Override
    public final void onNext(R answer) {
        subscriber.onNext(answer);
    }

    @Override
    public final void onError(Throwable failure) {
        if (ended.compareAndSet(false, true)) {
            failed(failure);
        }
        subscriber.onError(failure);
    }

    @Override
    public final void onComplete() {
        end(StatusCode.OK);
        subscriber.onComplete();
    }

    @Override
    public final void request(long n) {
        Flow.Subscription begun = subscription;
        if (begun != null) {
            begun.request(n);
        }
    }

    @Override
    public final void cancel() {
        Flow.Subscription begun = subscription;
        if (begun != null) {
            begun.cancel();
        }
        end(StatusCode.CANCELLED);
    }
}
