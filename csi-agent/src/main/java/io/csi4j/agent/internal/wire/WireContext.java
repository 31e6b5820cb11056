package io.csi4j.agent.internal.wire;

import io.csi4j.client.TlsOptions;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Threads, timer, certificates and limits that all connections of one server, gateway or agent share. */
public final class WireContext implements AutoCloseable {
    /** As with plugins' answers; a grant holds contexts of many volumes. */
    public static final int DEFAULT_MAX_INBOUND_MESSAGE_SIZE = 16 << 20;

    private final WireThreads threads = new WireThreads();
    private final Map<TlsOptions, TlsIdentity> identities = new ConcurrentHashMap<>();
    private final Executor executor;
    private final Timer timer;
    private final int maxInboundMessageSize;
    private volatile boolean closed;

    /**
     * Connections in an environment.
     *
     * @param owned whether the environment is closed when the connections have ended
     * @param maxInboundMessageSize the largest message to accept, in bytes
     */
    public WireContext(Environment environment, boolean owned, int maxInboundMessageSize) {
        Executor executor = environment.executor();
        this.timer = environment.timer();
        this.maxInboundMessageSize = maxInboundMessageSize;
        if (owned) {
            var unused = threads.ended().thenRun(environment::close);
        }
        // An executor that the host has shut down must not leave anybody waiting.
        this.executor = work -> {
            try {
                executor.execute(work);
            } catch (RejectedExecutionException refused) {
                threads.group().execute(work);
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

    public int maxInboundMessageSize() {
        return maxInboundMessageSize;
    }

    /** The setting, if it can be one. */
    public static int checkedMessageSize(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException(
                    "maxInboundMessageSize: " + bytes + " bytes hold no message; use at least 1");
        }
        return bytes;
    }

    /**
     * Certificates and key from these files, and whatever is in them later.
     *
     * @throws IllegalArgumentException if they cannot be used
     */
    public TlsIdentity identity(TlsOptions options) {
        return identities.computeIfAbsent(options, files -> TlsIdentity.open(files, this));
    }

    public boolean isClosed() {
        return closed;
    }

    /** From here on nobody is called. */
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
