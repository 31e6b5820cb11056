package io.csi4j.console;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.io.IOException;
import java.time.Duration;

/** Limits the time of a write to a client, so that a client that does not read cannot occupy a thread permanently. */
final class WriteGuard {
    static final Duration LIMIT = Duration.ofSeconds(20);

    private final Timer timer;

    WriteGuard(Timer timer) {
        this.timer = timer;
    }

    /** A write to a client. */
    interface Write {
        void run() throws IOException;
    }

    /**
     * Runs a write on this thread. After the limit the thread is interrupted, which closes the connection.
     *
     * @throws IOException if the write fails or takes longer than the limit
     */
    void run(Write write) throws IOException {
        Watch watch = new Watch(Thread.currentThread());
        Cancellable limit = timer.schedule(LIMIT, watch::expire);
        try {
            write.run();
        } finally {
            limit.cancel();
            watch.end();
        }
    }

    /** Interrupts the writing thread when the limit has passed, but never after the write has ended. */
    private static final class Watch {
        private final Thread thread;
        private boolean ended;

        Watch(Thread thread) {
            this.thread = thread;
        }

        synchronized void expire() {
            if (!ended) {
                thread.interrupt();
            }
        }

        synchronized void end() {
            ended = true;
        }
    }
}
