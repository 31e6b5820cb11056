package io.csi4j.client.discipline;

import io.csi4j.client.internal.call.ForwardingStream;
import io.csi4j.core.call.StatusCode;
import java.util.concurrent.Flow;
import java.util.function.LongSupplier;

/** A stream that is reported as one attempt. */
final class ObservedStream<R> extends ForwardingStream<R> {
    private static final long LAST = -1;

    private final TryReports reports;
    private final LongSupplier nanoTime;

    ObservedStream(Flow.Subscriber<? super R> subscriber, TryReports reports, LongSupplier nanoTime) {
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
        reports.ended(TryReports.code(failure), LAST);
    }
}
