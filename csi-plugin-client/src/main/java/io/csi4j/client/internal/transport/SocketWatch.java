package io.csi4j.client.internal.transport;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Notices that the file at a path is no longer the socket that the client is connected to. Without this
 * calls would stay with an old plugin process for as long as it lives, though a new one has taken the
 * path.
 *
 * <p>Looking costs a few microseconds, so it is done at most every {@link #INTERVAL_NANOS}, and at the
 * next call after a failure.
 */
final class SocketWatch {
    static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Path path;
    private final Ticker ticker;
    private final AtomicLong nextLook;
    /** Read before a connection is attempted: if the file changes in between, one reconnect too many follows, never one too few. */
    private volatile @Nullable SocketIdentity connected;
    /** A change is reported once; the reconnect that it causes may take a while to begin. */
    private volatile @Nullable SocketIdentity reported;

    SocketWatch(Path path, Ticker ticker) {
        this.path = path;
        this.ticker = ticker;
        this.nextLook = new AtomicLong(ticker.nanos());
    }

    /** A connection to the path is about to be attempted. */
    void connecting() {
        connected = SocketIdentity.of(path);
    }

    /** Look again at the next call, whatever the time. */
    void lookSoon() {
        nextLook.set(ticker.nanos());
    }

    /** Whether another socket has taken the path; true once for each change. */
    boolean moved() {
        long now = ticker.nanos();
        long due = nextLook.get();
        if (now - due < 0 || !nextLook.compareAndSet(due, now + INTERVAL_NANOS)) {
            return false;
        }
        SocketIdentity there = SocketIdentity.of(path);
        SocketIdentity before = connected;
        if (before == null || there.equals(before) || there.equals(reported) || there.equals(SocketIdentity.ABSENT)) {
            // If the file is gone, the old process is the only one to talk to.
            return false;
        }
        reported = there;
        return true;
    }
}
