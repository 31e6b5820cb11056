package io.csi4j.client.internal.log;

import io.csi4j.client.internal.retry.ForwardingStream;
import io.csi4j.client.internal.transport.ElapsedTime;
import io.csi4j.core.call.StatusCode;
import java.time.Duration;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** A stream whose request, messages and end are written to the request log. */
final class LoggedStream<A, R> extends ForwardingStream<R> {
    private static final int ONLY = 1;

    private final CallLines lines;
    private final ElapsedTime elapsed;
    private final Function<? super A, ? extends R> decoder;
    private final String limit;
    private final AtomicLong messages = new AtomicLong();
    private volatile long began;

    LoggedStream(
            CallLines lines,
            ElapsedTime elapsed,
            Function<? super A, ? extends R> decoder,
            Flow.Subscriber<? super R> subscriber,
            String limit) {
        super(subscriber);
        this.lines = lines;
        this.elapsed = elapsed;
        this.decoder = decoder;
        this.limit = limit;
    }

    R read(A message) {
        lines.came(ONLY, messages.incrementAndGet(), message);
        return decoder.apply(message);
    }

    private Duration took() {
        return Duration.ofNanos(Math.max(0, elapsed.nanos() - began));
    }

    @Override
    protected void started() {
        began = elapsed.nanos();
        lines.sent(ONLY, limit);
    }

    @Override
    protected void ended(StatusCode code) {
        lines.ended(ONLY, took(), code, messages.get());
    }

    @Override
    protected void failed(Throwable failure) {
        lines.failed(ONLY, took(), new CallLines.End(failure, true, null));
    }
}
