package io.csi4j.client.discipline;

import io.csi4j.core.call.StatusCode;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A subscriber whose stream is told of as one try, whichever side ends it, and once. */
final class ObservedStream<R> implements Flow.Subscriber<R>, Flow.Subscription {
    private static final long LAST = -1;

    private final Flow.Subscriber<? super R> subscriber;
    private final TryReports reports;
    private final LongSupplier nanoTime;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile Flow.@Nullable Subscription subscription;

    ObservedStream(Flow.Subscriber<? super R> subscriber, TryReports reports, LongSupplier nanoTime) {
        this.subscriber = subscriber;
        this.reports = reports;
        this.nanoTime = nanoTime;
    }

    private void end(StatusCode code) {
        if (ended.compareAndSet(false, true)) {
            reports.ended(code, LAST);
        }
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        reports.began(1, nanoTime.getAsLong());
        subscriber.onSubscribe(this);
    }

    @Override
    public void onNext(R answer) {
        subscriber.onNext(answer);
    }

    @Override
    public void onError(Throwable failure) {
        end(TryReports.code(failure));
        subscriber.onError(failure);
    }

    @Override
    public void onComplete() {
        end(StatusCode.OK);
        subscriber.onComplete();
    }

    @Override
    public void request(long n) {
        Flow.Subscription begun = subscription;
        if (begun != null) {
            begun.request(n);
        }
    }

    @Override
    public void cancel() {
        Flow.Subscription begun = subscription;
        if (begun != null) {
            begun.cancel();
        }
        end(StatusCode.CANCELLED);
    }
}
