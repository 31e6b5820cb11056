package io.csi4j.client;

import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Hands work over later where the system makes no thread for it now. gRPC would lose the end of a call, and the call
 * would wait for ever and keep its volume to itself; a pause that ended would never be followed by anything.
 *
 * @param threads do the work
 * @param io waits
 */
record PatientExecutor(Executor threads, EventLoopGroup io) implements Executor {
    private static final long PAUSE_MILLIS = 50;

    /** An executor may have kept work that it failed to make a thread for. */
    private static final class Once extends AtomicBoolean implements Runnable {
        private static final long serialVersionUID = 1L;

        private final transient Runnable work;

        Once(Runnable work) {
            this.work = work;
        }

        @Override
        public void run() {
            if (!getAndSet(true)) {
                work.run();
            }
        }
    }

    @Override
    public void execute(Runnable work) {
        hand(new Once(work));
    }

    private void hand(Once work) {
        try {
            threads.execute(work);
        } catch (OutOfMemoryError threadless) {
            later(work);
        }
    }

    private void later(Once work) {
        try {
            var unused = io.next().schedule(() -> hand(work), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closing) {
            work.run();
        }
    }
}
