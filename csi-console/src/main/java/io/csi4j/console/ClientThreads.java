package io.csi4j.console;

import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Environment;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads that read requests and write responses. The HTTP server of the JDK blocks a thread while it waits for the
 * rest of a request, or for a client that does not read its response. This class knows which threads wait for their
 * clients. Such a wait ends after {@link #LIMIT}, and earlier if a request needs a thread and none is free: then the
 * client that has kept a thread waiting for the longest time loses its connection. So slow clients cannot keep others
 * out, however many they are.
 */
final class ClientThreads implements Executor {
    /** The longest wait for a client. */
    static final Duration LIMIT = Duration.ofSeconds(20);

    private static final System.Logger LOGGER = System.getLogger(Console.class.getName());
    private static final int QUEUE = 256;
    /** The present wait of a thread. */
    private static final ThreadLocal<@Nullable Wait> CURRENT = new ThreadLocal<>();

    private final int max;
    private final Environment environment;
    private final CauseLog causes;
    private final ThreadPoolExecutor threads;
    /** The requests that have a thread or wait for one. */
    private final AtomicInteger requests = new AtomicInteger();
    /** The threads that wait for their clients, the one that has waited longest first. Guarded by its own monitor. */
    private final Set<Wait> waits = new LinkedHashSet<>();

    /** @param max the largest number of threads */
    ClientThreads(int max, Environment environment) {
        this.max = max;
        this.environment = environment;
        this.causes = new CauseLog(LOGGER, environment.clock());
        AtomicInteger number = new AtomicInteger();
        this.threads = new ThreadPoolExecutor(max, max, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(QUEUE), task -> {
            Thread thread = new Thread(task, "csi4j-console-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        threads.allowCoreThreadTimeOut(true);
    }

    /** A wait for a client. */
    interface Write {
        void run() throws IOException;
    }

    /**
     * Reads and serves a request on a thread of its own. The thread waits for its client until the request has {@linkplain
     * #arrived arrived}.
     */
    @Override
    public void execute(Runnable request) {
        requests.incrementAndGet();
        try {
            threads.execute(() -> {
                begin();
                try {
                    request.run();
                } finally {
                    arrived();
                    requests.decrementAndGet();
                }
            });
        } catch (RuntimeException full) {
            requests.decrementAndGet();
            throw full;
        }
        endOldestIfNeeded(null);
    }

    /** Reports that the request of this thread is complete, so that the thread does not wait for its client any more. */
    void arrived() {
        Wait wait = CURRENT.get();
        if (wait != null) {
            end(wait);
        }
    }

    /**
     * Waits for the client on this thread. When the wait has to end, the thread is interrupted, which closes the
     * connection.
     *
     * @throws IOException if the write fails or was ended
     */
    void run(Write write) throws IOException {
        Wait wait = begin();
        try {
            write.run();
        } finally {
            end(wait);
        }
    }

    private Wait begin() {
        Wait wait = new Wait(Thread.currentThread());
        wait.limit = environment.timer().schedule(LIMIT, wait::interrupt);
        CURRENT.set(wait);
        synchronized (waits) {
            waits.add(wait);
        }
        endOldestIfNeeded(wait);
        return wait;
    }

    private void end(Wait wait) {
        synchronized (waits) {
            waits.remove(wait);
        }
        if (wait.end()) {
            // The end of this wait must not disturb the next steps of this thread, for example closing the connection.
            Thread.interrupted();
        }
        CURRENT.remove();
    }

    private void endOldestIfNeeded(@Nullable Wait except) {
        if (requests.get() <= max) {
            return;
        }
        Wait oldest;
        synchronized (waits) {
            Iterator<Wait> all = waits.iterator();
            oldest = all.hasNext() ? all.next() : null;
            if (oldest == null || oldest == except) {
                return;
            }
            all.remove();
        }
        oldest.interrupt();
        causes.warn(
                "slow clients",
                "The console closed the connection of a client that did not send or read, because all " + max
                        + " threads were in use; find out who opens so many connections");
    }

    void shutdownNow() {
        threads.shutdownNow();
    }

    private static final class Wait {
        private final Thread thread;
        private volatile @Nullable Cancellable limit;
        private boolean interrupted;
        private boolean ended;

        Wait(Thread thread) {
            this.thread = thread;
        }

        /** Interrupts the thread while it waits, but never afterwards. */
        synchronized void interrupt() {
            if (!ended) {
                interrupted = true;
                thread.interrupt();
            }
        }

        /** Ends the wait, and returns whether it was interrupted. */
        boolean end() {
            Cancellable timer = limit;
            if (timer != null) {
                timer.cancel();
            }
            synchronized (this) {
                ended = true;
                return interrupted;
            }
        }
    }
}
