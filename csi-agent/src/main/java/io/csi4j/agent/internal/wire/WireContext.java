package io.csi4j.agent.internal.wire;

import io.csi4j.client.TlsOptions;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;

/** The threads, the timer, the certificates and the limits that all connections of one server, gateway or agent use together. */
public final class WireContext implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(WireContext.class.getName());

    /**
     * The default size limit of a message, in bytes. It equals the default limit for responses of plugins, because the
     * messages contain such responses.
     */
    public static final int DEFAULT_MAX_INBOUND_MESSAGE_SIZE = 16 << 20;

    private final WireThreads threads = new WireThreads();
    private final Map<TlsOptions, TlsIdentity> identities = new ConcurrentHashMap<>();
    private final Executor executor;
    private final Timer timer;
    private final Clock clock;
    private final CauseLog causes;
    private final int maxInboundMessageSize;
    private volatile boolean closed;

    /**
     * Creates a context.
     *
     * @param owned whether the environment has to be closed when the connections have ended
     * @param maxInboundMessageSize the largest message to accept, in bytes
     */
    public WireContext(Environment environment, boolean owned, int maxInboundMessageSize) {
        Executor executor = environment.executor();
        this.timer = environment.timer();
        this.clock = environment.clock();
        this.causes = new CauseLog(LOG, clock);
        this.maxInboundMessageSize = maxInboundMessageSize;
        if (owned) {
            var unused = threads.ended().thenRun(environment::close);
        }
        // Runs the work on the common pool if the host has shut its executor down, so that every future completes. The
        // work may block, so it may not run on a network thread.
        this.executor = work -> {
            try {
                executor.execute(work);
            } catch (RejectedExecutionException refused) {
                ForkJoinPool.commonPool().execute(work);
            }
        };
    }

    public WireThreads threads() {
        return threads;
    }

    public Executor executor() {
        return executor;
    }

    public Timer timer() {
        return timer;
    }

    /** Returns the log of causes why peers cannot be reached or are refused. */
    public CauseLog causes() {
        return causes;
    }

    /** Returns the clock for lines of the log and for times that people read. */
    public Clock clock() {
        return clock;
    }

    public int maxInboundMessageSize() {
        return maxInboundMessageSize;
    }

    /** Returns the given message size if it is valid. */
    public static int checkedMessageSize(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException(
                    "maxInboundMessageSize: " + bytes + " bytes hold no message; use at least 1");
        }
        return bytes;
    }

    /**
     * Returns the certificates and the key of the given files, which are reloaded when the files change.
     *
     * @throws IllegalArgumentException if the files cannot be used
     */
    public TlsIdentity identity(TlsOptions options) {
        return identities.computeIfAbsent(options, files -> TlsIdentity.open(files, this));
    }

    public boolean isClosed() {
        return closed;
    }

    /** Marks the context as closed, so that new calls fail and certificates are no longer reloaded. */
    public void closing() {
        closed = true;
    }

    @Override
    public void close() {
        closed = true;
        identities.values().forEach(TlsIdentity::close);
        threads.close();
    }
}
