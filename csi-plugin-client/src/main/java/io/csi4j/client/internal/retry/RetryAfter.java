package io.csi4j.client.internal.retry;

import java.time.Duration;

/** Signals a failed attempt that another one follows after a delay. Never leaves this package. */
final class RetryAfter extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Duration pause;

    RetryAfter(Duration pause) {
        super("again after " + pause, null, false, false);
        this.pause = pause;
    }

    Duration pause() {
        return pause;
    }
}
