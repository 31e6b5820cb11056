package io.csi4j.client.internal.log;

import io.csi4j.client.internal.retry.AttemptListener;
import io.csi4j.client.internal.transport.ElapsedTime;
import io.csi4j.core.internal.text.Durations;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The attempts of one call; logs the beginning and the end of each. */
final class LoggedAttempts<A, R> {
    private final CallLines lines;
    private final ElapsedTime elapsed;
    private final Function<? super A, ? extends R> decoder;
    private final AtomicInteger count = new AtomicInteger();

    LoggedAttempts(CallLines lines, ElapsedTime elapsed, Function<? super A, ? extends R> decoder) {
        this.lines = lines;
        this.elapsed = elapsed;
        this.decoder = decoder;
    }

    /**
     * Returns the next attempt.
     *
     * @param nanos the time that the attempt may take, in nanoseconds
     */
    Try next(long nanos, AttemptListener<? super R> listener) {
        int number = count.incrementAndGet();
        lines.sent(number, Durations.text(Duration.ofNanos(nanos)));
        return new Try(number, listener);
    }

    final class Try implements AttemptListener<R> {
        private final int number;
        private final AttemptListener<? super R> listener;
        private final long began = elapsed.nanos();
        /** The decoded response, for the log; read and written by one thread only. */
        private @Nullable A answer;

        private Try(int number, AttemptListener<? super R> listener) {
            this.number = number;
            this.listener = listener;
        }

        R read(A message) {
            answer = message;
            return decoder.apply(message);
        }

        private Duration took() {
            return Duration.ofNanos(Math.max(0, elapsed.nanos() - began));
        }

        @Override
        public void answered(R value) {
            lines.answered(number, took(), answer);
            listener.answered(value);
        }

        @Override
        public void failed(Throwable failure, boolean sent, boolean repeatable) {
            lines.failed(number, took(), new CallLines.End(failure, sent, answer));
            listener.failed(failure, sent, repeatable);
        }
    }
}
