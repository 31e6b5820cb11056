package io.csi4j.client;

import io.csi4j.core.call.StatusCode;
import java.time.Duration;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A stream that is written down: the request, each message, and the end, whichever side brings it, and once. */
final class LoggedStream<A, R> implements Flow.Subscriber<R>, Flow.Subscription {
    private static final int ONLY = 1;

    private final CallLines lines;
    private final Ticker ticker;
    private final Function<? super A, ? extends R> decoder;
    private final Flow.Subscriber<? super R> subscriber;
    private final String limit;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicLong messages = new AtomicLong();
    private volatile long began;
    private volatile Flow.@Nullable Subscription subscription;

    LoggedStream(
            CallLines lines,
            Ticker ticker,
            Function<? super A, ? extends R> decoder,
            Flow.Subscriber<? super R> subscriber,
            String limit) {
        this.lines = lines;
        this.ticker = ticker;
        this.decoder = decoder;
        this.subscriber = subscriber;
        this.limit = limit;
    }

    R read(A message) {
        lines.came(ONLY, messages.incrementAndGet(), message);
        return decoder.apply(message);
    }

    private Duration took() {
        return Duration.ofNanos(Math.max(0, ticker.nanos() - began));
    }

    private void end(StatusCode code) {
        if (ended.compareAndSet(false, true)) {
            lines.ended(ONLY, took(), code, messages.get());
        }
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        began = ticker.nanos();
        lines.sent(ONLY, limit);
        subscriber.onSubscribe(this);
    }

    @Override
    public void onNext(R answer) {
        subscriber.onNext(answer);
    }

    @Override
    public void onError(Throwable failure) {
        if (ended.compareAndSet(false, true)) {
            lines.failed(ONLY, took(), new CallLines.End(failure, true, null));
        }
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
