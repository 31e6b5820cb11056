package io.csi4j.client.internal.retry;

import io.csi4j.core.call.StatusCode;
import java.util.concurrent.Flow;
import java.util.function.LongSupplier;

/** A stream that is reported to the {@code AttemptObserver} as one attempt. */
final class ObservedStream<R> extends ForwardingStream<R> {
    private static final long LAST = -1;

    private final AttemptReports reports;
    private final LongSupplier nanoTime;

    ObservedStream(Flow.Subscriber<? super R> subscriber, AttemptReports reports, LongSupplier nanoTime) {
        super(subscriber);
        this.reports = reports;
        this.nanoTime = nanoTime;
    }

    @Override
    protected void started() {
        reports.began(1, nanoTime.getAsLong());
    }

    @Override
    protected void ended(StatusCode code) {
        reports.ended(code, LAST);
    }

    @Override
    protected void failed(Throwable failure) {
        reports.ended(AttemptReports.code(failure), LAST);
    }
}
